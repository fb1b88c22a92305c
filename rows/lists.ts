import { isList, isObject, type Json, type JsonObject, readPath, type Step, writePath } from './path.js';
import { finish, type Steps } from './steps.js';

/** A list in a response, whose items are rows. */
export interface RowList {
  /** Such as `missions.nodes[].addresses[]`; empty for the whole response as one row. */
  readonly path: string;
  /** Number of rows, over all parents; 0 if all are null. */
  readonly count: number;
}

/** The path of the whole response as one row, for one without lists. */
export const WHOLE_RESPONSE = '';

/**
 * The lists of objects in a response, the largest first, the outer one among equals. Empty lists are included, since
 * their item type is unknown, and those of nulls likewise. Lists of plain values are columns, not rows.
 */
export function findLists(data: JsonObject): RowList[] {
  return finish(listSteps(data));
}

/** Like `findLists`, in steps. */
export function* listSteps(data: JsonObject): Steps<RowList[]> {
  const root = emptyPlace();
  const left: ListAt[] = [];
  visit(data, root, left);
  let items = 0;
  for (let list = left.pop(); list !== undefined; list = left.pop()) {
    for (const item of list.items) {
      items += 1;
      if (items % ITEMS_OF_A_STEP === 0) yield;
      if (isObject(item)) list.place.objects += 1;
      else if (item !== null) list.place.values += 1;
      if (typeof item === 'object' && item !== null) visit(item, list.place, left);
    }
  }
  return listsAt(root, []).sort((one, other) => other.count - one.count);
}

/** The chosen list, or an unknown name with the known ones. */
export type Choice = { readonly path: string } | { readonly unknown: string; readonly known: readonly string[] };

/** Whether a key is that of a connection's list, which has pages. */
export function isPagedKey(key: string | undefined): key is 'nodes' | 'edges' {
  return key === 'nodes' || key === 'edges';
}

/** The first list with pages: that of a connection that is not below another list; null if there is none. */
export function pagedListIn(data: JsonObject, steps: readonly Step[] = []): string | null {
  const entries = Object.entries(data);
  // At the root, such a key is the alias of a field.
  const own = steps.length === 0 ? undefined : entries.find(([key, value]) => isPagedKey(key) && isList(value));
  if (own !== undefined) return writePath([...steps, { key: own[0] }, { each: true }]);
  for (const [key, value] of entries) {
    const inside = isObject(value) ? pagedListIn(value, [...steps, { key }]) : null;
    if (inside !== null) return inside;
  }
  return null;
}

/**
 * The list for a caller's `path`. `missions`, `missions.nodes` and `data.missions.nodes[]` all mean `missions.nodes[]`;
 * without a path it is the first list with pages, or else the largest, or the whole response. A path at which the
 * response is null or empty is a list without rows.
 */
export function chooseList(data: JsonObject, wanted: string | undefined): Choice {
  return chooseAmong(findLists(data), data, wanted);
}

/** Like `chooseList`, among the given lists of the response. */
export function chooseAmong(lists: readonly RowList[], data: JsonObject, wanted: string | undefined): Choice {
  if (wanted === undefined) return { path: pagedListIn(data) ?? lists[0]?.path ?? WHOLE_RESPONSE };
  const plain = withoutBrackets(wanted).replace(/^data\./, '');
  const known = lists.map(({ path }) => path);
  for (const name of [plain, `${plain}.nodes`, `${plain}.edges`]) {
    const path = known.find((candidate) => withoutBrackets(candidate) === name);
    if (path !== undefined) return { path };
  }
  const steps = readPath(plain);
  return leadsToNothing(data, steps) ? { path: writePath([...steps, { each: true }]) } : { unknown: wanted, known };
}

/** Items visited in one step: less than a millisecond of work, however many keys they have. */
const ITEMS_OF_A_STEP = 100;

/** A place shared by all objects at the same path, so that paths are written once and not for each object. */
interface Place {
  readonly keys: Map<string, Place>;
  /** The items of the lists at this place; undefined if there are none. */
  items: Place | undefined;
  count: number;
  objects: number;
  values: number;
}

/** A list that is still to be visited, and the place of its items. */
interface ListAt {
  readonly items: readonly Json[];
  readonly place: Place;
}

function emptyPlace(): Place {
  return { keys: new Map(), items: undefined, count: 0, objects: 0, values: 0 };
}

/** Visits a value and the objects below it; adds the lists in it to `left`. */
function visit(value: Json, place: Place, left: ListAt[]): void {
  if (isList(value)) {
    place.items ??= emptyPlace();
    place.items.count += value.length;
    left.push({ items: value, place: place.items });
  } else if (isObject(value)) {
    for (const key in value) {
      const inner = value[key];
      if (typeof inner !== 'object' || inner === null) continue;
      let below = place.keys.get(key);
      if (below === undefined) {
        below = emptyPlace();
        place.keys.set(key, below);
      }
      visit(inner, below, left);
    }
  }
}

/** The lists of objects at a place and below it, the outer ones first. */
function listsAt({ keys, items }: Place, steps: readonly Step[]): RowList[] {
  const inside = [...steps, { each: true } as const];
  // Nulls alone may be plain values: such a list is like an empty one.
  const own =
    items === undefined || (items.objects === 0 && items.values > 0)
      ? []
      : [{ path: writePath(inside), count: items.objects === 0 ? 0 : items.count }];
  const below = [...keys].flatMap(([key, place]) => listsAt(place, [...steps, { key }]));
  return [...own, ...(items === undefined ? [] : listsAt(items, inside)), ...below];
}

function withoutBrackets(path: string): string {
  return path.replaceAll('[]', '');
}

/** Whether all values along the steps end in a null or an empty list, and none in a missing key. */
function leadsToNothing(data: JsonObject, steps: readonly Step[]): boolean {
  const left: { readonly items: readonly Json[]; readonly at: number }[] = [{ items: [data], at: 0 }];
  for (let list = left.pop(); list !== undefined; list = left.pop()) {
    for (const item of list.items) {
      const end = follow(item, steps, list.at);
      if (end === null) return false;
      if (isList(end.value)) left.push({ items: end.value, at: end.at });
    }
  }
  return true;
}

/** The null or list that the steps from `at` on lead to, and the index of the step after it; null if neither. */
function follow(from: Json, steps: readonly Step[], at: number): { readonly value: Json; readonly at: number } | null {
  let value: Json | undefined = from;
  let next = at;
  for (; isObject(value); next += 1) {
    const step = steps[next];
    if (step === undefined || !('key' in step) || !Object.hasOwn(value, step.key)) return null;
    value = value[step.key];
  }
  return value === null || isList(value) ? { value, at: next } : null;
}

/** How many names fit into a header and a file. */
const MAX_NAMES = 20;
/** Length of the longest name that is listed: those that a caller chose may have thousands of characters. */
const MAX_LENGTH = 100;

/** A list of rows, and whether the caller named it: then they do not miss the lists beside it. */
interface ListOfRows {
  readonly path: string;
  readonly isNamed: boolean;
}

/**
 * The names, in the form that `path` accepts, of lists of objects that have no columns in the rows of a list: those
 * inside its rows and, if it was not named, those beside it. Lists that it is part of have columns.
 */
export function omittedLists(lists: readonly RowList[], { path, isNamed }: ListOfRows): string[] {
  return lists
    .filter((list) => list.count > 0 && list.path !== path && !path.startsWith(list.path))
    .filter((list) => !isNamed || list.path.startsWith(path))
    .map((list) => list.path.replaceAll('[]', ''))
    .sort();
}

/** The names as one text for a header, except those that a header cannot contain; null if there are none. */
export function writeOmitted(names: readonly string[]): string | null {
  return names.length === 0 ? null : textOf(names, shownOf(names), TEXTS.en);
}

/** A file's note on lists that it omits; null if there are none. */
export function omittedNote(names: readonly string[], language: keyof typeof TEXTS): string | null {
  if (names.length === 0) return null;
  const texts = TEXTS[language];
  const shown = shownOf(names);
  const text = textOf(names, shown, texts);
  return shown[0] === undefined ? text : `${text} (path=${shown[0]} ${texts.ofFirst})`;
}

/** Those that are shown. The keys of a JSON scalar may be any text, but a header cannot contain `cœur`. */
function shownOf(names: readonly string[]): string[] {
  return names.filter((name) => name.length <= MAX_LENGTH && /^[\w.]+$/.test(name)).slice(0, MAX_NAMES);
}

function textOf(names: readonly string[], shown: readonly string[], { list, more }: (typeof TEXTS)['en']): string {
  const further = names.length - shown.length;
  if (shown.length === 0) return `${further} ${list}${further === 1 ? '' : 's'}`;
  return [...shown, ...(further === 0 ? [] : [`${further} ${more}`])].join(', ');
}

const TEXTS = {
  en: { list: 'list', more: 'more', ofFirst: 'has the rows of the first' },
  fr: { list: 'liste', more: 'de plus', ofFirst: 'donne les lignes de la première' },
};
