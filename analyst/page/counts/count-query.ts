import { type FieldNode, Kind, parse, print, type ValueNode, visit } from 'graphql';
import { operationOf } from '../requests/operation-name.js';
import type { GraphqlRequest } from '../responses/query-result.js';

/** What is known about the graph's `missionCounts`. */
export interface CountField {
  /** Names of its arguments. */
  readonly args: readonly string[];
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
  { path, column, field }: { readonly path: string; readonly column: string; readonly field: CountField },
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

function variablesIn(value: ValueNode): string[] {
  const names: string[] = [];
  visit(value, { Variable: ({ name }) => void names.push(name.value) });
  return names;
}
