import { forEachInTurns, freshTurn, ownTurn } from '../../../../runtime/event-loop/turns.js';
import { departmentByCode } from '../../../codes/departments.js';
import type { MissionCountKey } from '../../__generated__/resolvers.js';
import type { DigestedMission } from '../digest.js';
import { DOMAIN_LABELS, REMOTE_LABELS, TYPE_LABELS } from './labels.js';

/** Most groups counted for one response. Further ones are left out, which `complete` reports. */
const MAX_GROUPS = 10_000;

/** The missions that share a value of a key, or a combination of two values. */
export interface MissionCountGroup {
  /** One value per key, in the order of the keys; null for missions without one. */
  readonly key: readonly (string | null)[];
  readonly label: readonly (string | null)[];
  readonly count: number;
}

interface Grouped {
  /** Largest first, then by key. */
  readonly groups: readonly MissionCountGroup[];
  /** Whether every group is included. */
  readonly complete: boolean;
}

/** Groups that are sorted in a turn with other work: more of them take milliseconds. */
const FEW_GROUPS = 500;

/**
 * How many missions have each value of the keys, or each combination of values. Takes turns of the owner: a small
 * request may count ten thousand missions thirty times.
 */
export async function groupMissions(
  owner: object,
  missions: Iterable<DigestedMission>,
  by: readonly MissionCountKey[],
): Promise<Grouped> {
  const groups = new Map<string, { key: (string | null)[]; label: (string | null)[]; count: number }>();
  let complete = true;
  await forEachInTurns(owner, missions, (mission) => {
    for (const values of combinations(by.map((key) => valuesOf(mission, key)))) {
      const key = values.map(([value]) => value);
      const name = JSON.stringify(key);
      const group = groups.get(name);
      if (group !== undefined) group.count++;
      else if (groups.size < MAX_GROUPS) groups.set(name, { key, label: values.map(([, label]) => label), count: 1 });
      else complete = false;
    }
  });
  await (groups.size > FEW_GROUPS ? ownTurn(owner) : freshTurn(owner));
  const byName = [...groups].sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1));
  return { groups: byName.map(([, group]) => group), complete };
}

/** A value to count by, and its label. */
type Value = readonly [key: string | null, label: string | null];

const NONE: readonly Value[] = [[null, null]];

function valuesOf(mission: DigestedMission, key: MissionCountKey): readonly Value[] {
  switch (key) {
    case 'DEPARTMENT':
      return several(mission.departments, (code) => departmentByCode(code)?.nom ?? code);
    case 'ACTIVITY':
      return several(mission.activities, (activity) => activity);
    case 'ORGANIZATION':
      return one(mission.organization, (id) => mission.organizationName ?? id);
    case 'DOMAIN':
      return one(mission.domain, (domain) => DOMAIN_LABELS[domain] ?? domain);
    case 'TYPE':
      return one(mission.type, (type) => TYPE_LABELS[type] ?? type);
    case 'REMOTE':
      return one(mission.remote, (word) => REMOTE_LABELS[word] ?? word);
  }
}

function several(
  values: readonly (string | null | Error)[] | null,
  labelOf: (value: string) => string,
): readonly Value[] {
  const texts = (values ?? []).filter((value) => typeof value === 'string');
  return texts.length === 0 ? NONE : texts.map((value) => [value, labelOf(value)]);
}

function one(value: string | null, labelOf: (value: string) => string): readonly Value[] {
  return value === null ? NONE : [[value, labelOf(value)]];
}

/** The Cartesian product of the lists. */
function combinations(lists: readonly (readonly Value[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => [...head, value])),
    [[]],
  );
}
