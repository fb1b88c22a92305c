import { isList, isObject, type Json, type JsonObject, readPath, type Step, writePath } from './path.js';

/** A list of an answer: the rows that a table may show. */
export interface RowList {
  /** Its place, such as `missions.nodes[].addresses[]`; empty for the whole answer as one row. */
  readonly path: string;
  /** Rows of all parents together. */
  readonly count: number;
}

/** The whole answer as one row: what is left when it has no list. */
export const WHOLE_ANSWER = '';

/**
 * The lists of objects in a response, the largest first, among equals the outer one. An empty list counts too: what it
 * would hold is unknown. Lists of plain values are columns, not rows.
 */
export function findLists(data: JsonObject): RowList[] {
  const found = new Map<string, Found>();
  visit(data, [], found);
  return [...found]
    .filter(([, { objects, values }]) => objects > 0 || values === 0)
    .map(([path, { count }]) => ({ path, count }))
    .sort((one, other) => other.count - one.count);
}

/** Says which list is meant, or why none is. */
export type Choice = { readonly path: string } | { readonly unknown: string; readonly known: readonly string[] };

/**
 * The list that a caller names. `missions`, `missions.nodes` and `data.missions.nodes[]` all mean `missions.nodes[]`;
 * without a name it is the largest list, else the whole answer. A place where the answer is null or empty is a list
 * without rows.
 */
export function chooseList(data: JsonObject, wanted: string | undefined): Choice {
  const lists = findLists(data);
  if (wanted === undefined || wanted === '') return { path: lists[0]?.path ?? WHOLE_ANSWER };
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
    for (const [key, inner] of Object.entries(value)) visit(inner, [...steps, { key }], found);
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

/** Whether every way down the steps ends at a null or an empty list, and none at a key that is not there. */
function leadsToNothing(value: Json | undefined, steps: readonly Step[]): boolean {
  if (value === null) return true;
  if (isList(value)) return value.every((item) => leadsToNothing(item, steps));
  const [step, ...rest] = steps;
  if (!isObject(value) || step === undefined || !('key' in step)) return false;
  return Object.hasOwn(value, step.key) && leadsToNothing(value[step.key], rest);
}
