import { cleanMemory } from '../state/packed-memory.js';

/** A query under a name: what its tab has, never a header and never a key. Folder and name together are unique. */
export interface SavedQuery {
  /** Empty for none. */
  readonly folder: string;
  readonly name: string;
  readonly query: string;
  /** As in the editor. */
  readonly variables: string;
  /** The operation that runs, where the query has several. */
  readonly operationName: string | null;
  /** View, list, filters, order and colours of the tab, as in a link. */
  readonly memory: unknown;
}

/** Longest name of a query or folder, in characters. */
export const MAX_NAME = 100;
/** Queries that are stored at most. */
export const MAX_SAVED = 500;
/** Characters of all of them as JSON: a browser stores some five million for a page. */
const MAX_CHARACTERS = 2_000_000;

/** Why queries are not stored. */
export type Refusal = 'tooMany' | 'tooLarge' | 'noStorage';

/** What keeps so many queries of so many characters from being stored; null if nothing does. */
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

/** The queries with one more, in the place of one of the same name. */
export function withQuery(queries: readonly SavedQuery[], added: SavedQuery): SavedQuery[] {
  return inOrder([...queries.filter((query) => !isSamePlace(query, added)), added]);
}

/** The queries without some. */
export function withoutQueries(queries: readonly SavedQuery[], removed: readonly Place[]): SavedQuery[] {
  return queries.filter((query) => !removed.some((place) => isSamePlace(place, query)));
}

/** The queries with all of a folder in another, under new names where those are taken. */
export function withFolderMoved(queries: readonly SavedQuery[], from: string, to: string): SavedQuery[] {
  if (from === to) return [...queries];
  const moved = queries.filter(({ folder }) => folder === from);
  return moved.reduce<SavedQuery[]>(
    (all, query) => withQuery(all, { ...query, folder: to, name: freeName(all, { ...query, folder: to }) }),
    withoutQueries(queries, moved),
  );
}

/** The name, or where that is taken the first of `name (2)`, `name (3)` … that is free. */
export function freeName(queries: readonly Place[], { folder, name }: Place): string {
  const isTaken = (candidate: string) => queries.some((query) => isSamePlace(query, { folder, name: candidate }));
  for (let number = 2, candidate = name; ; number += 1) {
    if (!isTaken(candidate)) return candidate;
    const ending = ` (${number})`;
    candidate = `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
  }
}

/** Without a folder first, then by the names of folders and queries. */
export function inOrder(queries: readonly SavedQuery[]): SavedQuery[] {
  const { compare } = NAMES;
  return [...queries].sort((one, other) => compare(one.folder, other.folder) || compare(one.name, other.name));
}

const NAMES = new Intl.Collator('fr', { numeric: true });
