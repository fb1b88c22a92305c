import { type FieldNode, Kind, parse, print } from 'graphql';
import type { CountGroup, Counting, Figure } from '../../../rows/row-counts.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { departmentOf, isDrawn } from '../map/departments.js';
import { operationOf, variablesIn } from '../request/operation.js';
import type { GraphqlRequest } from '../state/query-result.js';
import type { CountingMemory } from '../state/tab-memory.js';

/** Rows, or groups, that show whether a column is the département. */
const SAMPLE = 200;
/** A column with more distinct values than this is not worth counting by. */
const MOST_VALUES = 120;

/**
 * What is worth counting in a list: by département if a column holds départements, else by the first text that repeats.
 * Rows that are counts themselves, such as those of `missionCounts`, are summed.
 */
export function usualCounting({ layout, rows, profiles }: LoadedList): CountingMemory {
  const sample = rows.slice(0, SAMPLE);
  const names = layout.columns.map(({ name }) => name);
  const of = names.find((name) => /^(count|docCount)$/.test(name)) ?? '';
  const texts = layout.columns.filter(({ name }) => profiles.get(name)?.kind === 'text');
  const repeating = texts.find((column) => {
    const values = new Set(sample.map((row) => row.cell(column)));
    return values.size > 1 && values.size <= Math.min(MOST_VALUES, sample.length / 2);
  });
  // Names are read more easily than codes.
  const department = texts
    .toSorted((one, other) => Number(isName(other.name)) - Number(isName(one.name)))
    .find((column) => {
      const cells = sample.map((row) => row.cell(column)).filter((cell) => cell !== null);
      return (
        cells.length > 0 && cells.filter((cell) => departmentOf(cell, column.name) !== null).length > cells.length / 2
      );
    });
  const label = of === '' ? undefined : names.find((name) => name === 'label');
  const by = department?.name ?? label ?? repeating?.name ?? names[0];
  return { by: by === undefined ? [] : [by], of, show: of === '' ? 'rows' : 'sum' };
}

function isName(column: string): boolean {
  return /(?:^|[./])(?:label|nom|name)$|Name$/.test(column);
}

/** The figures of a map of départements. */
interface PlacedGroups {
  /** By the official code. */
  readonly values: ReadonlyMap<string, number>;
  /** Groups that are not on the map. */
  readonly elsewhere: number;
}

/** The figures by département, and how many groups the map does not draw; null if no column is the département. */
export function placedGroups(groups: readonly CountGroup[], by: Counting['by'], show: Figure): PlacedGroups | null {
  for (const [place, { name }] of by.entries()) {
    const values = new Map<string, number>();
    let elsewhere = 0;
    let undrawn = 0;
    for (const [index, group] of groups.entries()) {
      if (index === SAMPLE && elsewhere > SAMPLE / 2) {
        elsewhere = groups.length;
        break;
      }
      const code = departmentOf(group.key[place] ?? null, name);
      if (code === null) elsewhere += 1;
      else if (!isDrawn(code)) undrawn += 1;
      // Of pairs, a département has several groups: their rows and sums add up, other figures do not.
      else if (show === 'rows' || show === 'sum' || !values.has(code)) {
        values.set(code, (values.get(code) ?? 0) + (group[show] ?? 0));
      }
    }
    if (values.size > 0 && elsewhere <= groups.length / 2) return { values, elsewhere: elsewhere + undrawn };
  }
  return null;
}

/** The fields whose selection `missionCounts` can count. */
const LISTS = /^(?:missions|missionSearch)$/;

const KEYS: readonly [pattern: RegExp, key: string][] = [
  [/dep/i, 'DEPARTMENT'],
  [/domain/i, 'DOMAIN'],
  [/activit/i, 'ACTIVITY'],
  [/organi[sz]ation|association/i, 'ORGANIZATION'],
  [/remote/i, 'REMOTE'],
  [/(?:^|\.)type$/i, 'TYPE'],
];

/**
 * A query that counts all missions of the selection that a list shows, in the operation that was run: by the subject of
 * a column, or else by département. Null for any other list, and if the selection has an argument that `missionCounts`
 * does not take.
 */
export function countQuery(
  request: GraphqlRequest,
  { path, column, field }: { path: string; column: string; field: { readonly args: readonly string[] } },
): string | null {
  const [key = ''] = path.split(/[.[]/);
  const operation = operationOf(request);
  const list = operation?.selectionSet.selections.find(
    (node): node is FieldNode => node.kind === Kind.FIELD && (node.alias ?? node.name).value === key,
  );
  if (operation === null || list === undefined || !LISTS.test(list.name.value)) return null;
  const filters = (list.arguments ?? []).filter(({ name }) => !/^(?:first|after|last|before|sort)$/.test(name.value));
  if (filters.some(({ name }) => !field.args.includes(name.value))) return null;
  const used = new Set(filters.flatMap(({ value }) => variablesIn(value)));
  const declared = (operation.variableDefinitions ?? []).filter(({ variable }) => used.has(variable.name.value));
  const by = KEYS.find(([pattern]) => pattern.test(column))?.[1] ?? 'DEPARTMENT';
  const variables = declared.length === 0 ? '' : `(${declared.map(print).join(', ')})`;
  const args = [`by: ${by}`, ...filters.map(print)].join(', ');
  return print(
    parse(`query AllMissions${variables} {
      missionCounts(${args}) { total counted complete groups { key label count } }
    }`),
  );
}
