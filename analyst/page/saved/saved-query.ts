import { cleanMemory } from '../state/packed-memory.js';

/** A named query with the contents of its tab, but never a header or a key. Folder and name together are unique. */
export interface SavedQuery {
  /** Empty for none. */
  readonly folder: string;
  readonly name: string;
  readonly query: string;
  /** As in the editor. */
  readonly variables: string;
  /** The operation that runs, if the query has several. */
  readonly operationName: string | null;
  /** View, list, filters, order and colours of the tab, as in a link. */
  readonly memory: unknown;
}

/** Longest name of a query or folder, in characters. */
export const MAX_NAME = 100;
/** Maximum number of stored queries. */
export const MAX_SAVED = 500;
/** Limit on all of them as JSON, in characters: a browser stores some five million for a page. */
const MAX_CHARACTERS = 2_000_000;

/** Why queries are not stored. */
export type Refusal = 'tooMany' | 'tooLarge' | 'noStorage';

/** Why this many queries of this many characters cannot be stored; null if they can. */
export function refusalOf({
  count,
  characters,
}: {
  readonly count: number;
  readonly characters: number;
}): Refusal | null {
  if (count > MAX_SAVED) return 'tooMany';
  return characters > MAX_CHARACTERS ? 'tooLarge' : null;
}

/** A saved query in JSON of unknown origin, without any other members; null if it is not one. */
export function readSavedQuery(value: unknown): SavedQuery | null {
  if (typeof value !== 'object' || value === null) return null;
  const { folder = '', name, query, variables = '', operationName = null, memory } = value as Record<string, unknown>;
  if (!isName(folder) || !isName(name) || name === '' || typeof query !== 'string' || query.trim() === '') return null;
  if (typeof variables !== 'string' || (operationName !== null && typeof operationName !== 'string')) return null;
  return { folder, name, query, variables, operationName, memory: cleanMemory(memory) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value === value.trim() && value.length <= MAX_NAME;
}

/** Whether two have the same name in the same folder. */
export function isSamePlace(one: Place, other: Place): boolean {
  return one.folder === other.folder && one.name === other.name;
}

/** Where a query is saved. */
export type Place = Pick<SavedQuery, 'folder' | 'name'>;

/** The queries with one more, which replaces one of the same name in the same folder. */
export function withQuery(queries: readonly SavedQuery[], added: SavedQuery): SavedQuery[] {
  return inOrder([...queries.filter((query) => !isSamePlace(query, added)), added]);
}

/** The queries except some. */
export function withoutQueries(queries: readonly SavedQuery[], removed: readonly Place[]): SavedQuery[] {
  return queries.filter((query) => !removed.some((place) => isSamePlace(place, query)));
}

/** The queries with all of one folder moved to another, under new names if theirs are taken there. */
export function withFolderMoved(queries: readonly SavedQuery[], from: string, to: string): SavedQuery[] {
  if (from === to) return [...queries];
  const moved = queries.filter(({ folder }) => folder === from);
  return moved.reduce<SavedQuery[]>(
    (all, query) => withQuery(all, { ...query, folder: to, name: freeName(all, { ...query, folder: to }) }),
    withoutQueries(queries, moved),
  );
}

/** The name or, if it is taken, the first of `name (2)`, `name (3)` … that is free. */
export function freeName(queries: readonly Place[], { folder, name }: Place): string {
  const isTaken = (candidate: string) => queries.some((query) => isSamePlace(query, { folder, name: candidate }));
  for (let number = 2, candidate = name; ; number += 1) {
    if (!isTaken(candidate)) return candidate;
    const ending = ` (${number})`;
    candidate = `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
  }
}

/** Sorted: queries without a folder first, then by the names of folders and queries. */
export function inOrder(queries: readonly SavedQuery[]): SavedQuery[] {
  const { compare } = NAMES;
  return [...queries].sort((one, other) => compare(one.folder, other.folder) || compare(one.name, other.name));
}

const NAMES = new Intl.Collator('fr', { numeric: true });
