import { isList, isObject, type Json, type JsonObject, readPath, type Step, writePath } from './path.js';

/** A list in a response, whose items are rows. */
export interface RowList {
  /** Such as `missions.nodes[].addresses[]`; empty for the whole response as one row. */
  readonly path: string;
  /** Number of rows, over all parents. */
  readonly count: number;
}

/** The path of the whole response as one row, for one without lists. */
export const WHOLE_RESPONSE = '';

/**
 * The lists of objects in a response, the largest first, the outer one among equals. Empty lists are included, since
 * their item type is unknown. Lists of plain values are columns, not rows.
 */
export function findLists(data: JsonObject): RowList[] {
  const found = new Map<string, Found>();
  visit(data, [], found);
  return [...found]
    .filter(([, { objects, values }]) => objects > 0 || values === 0)
    .map(([path, { count }]) => ({ path, count }))
    .sort((one, other) => other.count - one.count);
}

/** The chosen list, or an unknown name with the known ones. */
export type Choice = { readonly path: string } | { readonly unknown: string; readonly known: readonly string[] };

/**
 * The list for a caller's `path`. `missions`, `missions.nodes` and `data.missions.nodes[]` all mean `missions.nodes[]`;
 * without a path it is the largest list, or the whole response. A path at which the response is null or empty is a list
 * without rows.
 */
export function chooseList(data: JsonObject, wanted: string | undefined): Choice {
  const lists = findLists(data);
  if (wanted === undefined || wanted === '') return { path: lists[0]?.path ?? WHOLE_RESPONSE };
  const plain = withoutBrackets(wanted).replace(/^data\./, '');
  const known = lists.map(({ path }) => path);
  for (const name of [plain, `${plain}.nodes`, `${plain}.edges`]) {
    const path = known.find((candidate) => withoutBrackets(candidate) === name);
    if (path !== undefined) return { path };
  }
  const steps = readPath(plain);
  return leadsToNothing(data, steps) ? { path: writePath([...steps, { each: true }]) } : { unknown: wanted, known };
}

interface Found {
  count: number;
  objects: number;
  values: number;
}

function visit(value: Json, steps: readonly Step[], found: Map<string, Found>): void {
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) visit(inner, [...steps, { key }], found);
    }
  } else if (isList(value)) {
    const inside = [...steps, { each: true }] as const;
    const path = writePath(inside);
    const list = found.get(path) ?? { count: 0, objects: 0, values: 0 };
    found.set(path, list);
    list.count += value.length;
    for (const item of value) {
      if (isObject(item)) list.objects += 1;
      else if (item !== null) list.values += 1;
      if (typeof item === 'object' && item !== null) visit(item, inside, found);
    }
  }
}

function withoutBrackets(path: string): string {
  return path.replaceAll('[]', '');
}

/** Whether all values along the steps end in a null or an empty list, and none in a missing key. */
function leadsToNothing(value: Json | undefined, steps: readonly Step[]): boolean {
  if (value === null) return true;
  if (isList(value)) return value.every((item) => leadsToNothing(item, steps));
  const [step, ...rest] = steps;
  if (!isObject(value) || step === undefined || !('key' in step)) return false;
  return Object.hasOwn(value, step.key) && leadsToNothing(value[step.key], rest);
}
