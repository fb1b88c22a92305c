import { cleanMemory } from '../state/tab-memory.js';

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
export function refusalOf(count: number, characters: number): Refusal | null {
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

/** The names of the folders that some queries are in. */
export function foldersOf(queries: readonly SavedQuery[]): string[] {
  return [...new Set(queries.map(({ folder }) => folder))];
}

/** The name or, if it is taken, the first of `name (2)`, `name (3)` … that is free. */
function freeName(queries: readonly Place[], { folder, name }: Place): string {
  const isTaken = (candidate: string) => queries.some((query) => isSamePlace(query, { folder, name: candidate }));
  for (let number = 2, candidate = name; ; number += 1) {
    if (!isTaken(candidate)) return candidate;
    const ending = ` (${number})`;
    candidate = `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
  }
}

/** Sorted: queries without a folder first, then by the names of folders and queries. */
function inOrder(queries: readonly SavedQuery[]): SavedQuery[] {
  const { compare } = NAMES;
  return [...queries].sort((one, other) => compare(one.folder, other.folder) || compare(one.name, other.name));
}

const NAMES = new Intl.Collator('fr', { numeric: true });

/** How a file of saved queries identifies itself. */
const FORMAT = 'passerelle-saved-queries';
const VERSION = 1;

/** The largest file that is read, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The text of a file with queries. */
export function writeSavedFile(queries: readonly SavedQuery[]): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, queries }, null, 2)}\n`;
}

/** The contents of a file. */
interface SavedFile {
  readonly queries: readonly SavedQuery[];
  /** Entries that are not saved queries. */
  readonly unreadable: number;
}

/** The queries in the text of a file; null if it is not such a file. */
export function readSavedFile(text: string): SavedFile | null {
  const entries = entriesOf(text);
  if (entries === null) return null;
  const queries = entries.flatMap((entry) => readSavedQuery(entry) ?? []);
  return { queries, unreadable: entries.length - queries.length };
}

function entriesOf(text: string): readonly unknown[] | null {
  try {
    const { format, version, queries }: Record<string, unknown> = JSON.parse(text) ?? {};
    return format === FORMAT && version === VERSION && Array.isArray(queries) ? queries : null;
  } catch {
    return null;
  }
}

/** What happened to the queries of a file, by their names. */
export interface ImportReport {
  readonly taken: readonly string[];
  /** Names that other queries already had, with the new ones. */
  readonly renamed: readonly (readonly [name: string, newName: string])[];
  /** Already there, identical in everything. */
  readonly same: readonly string[];
  /** Did not fit. */
  readonly noRoom: readonly string[];
  readonly unreadable: number;
}

/** The queries merged with those of a file; none is replaced. */
export function mergeSaved(
  queries: readonly SavedQuery[],
  file: SavedFile,
): { readonly queries: readonly SavedQuery[]; readonly report: ImportReport } {
  const merged = [...queries];
  let characters = JSON.stringify(queries).length;
  const [taken, renamed, same, noRoom]: [string[], [string, string][], string[], string[]] = [[], [], [], []];
  for (const query of file.queries) {
    const there = merged.find((one) => isSamePlace(one, query));
    if (there !== undefined && JSON.stringify(there) === JSON.stringify(query)) {
      same.push(query.name);
      continue;
    }
    const named = { ...query, name: freeName(merged, query) };
    const size = JSON.stringify(named).length + 1;
    if (refusalOf(merged.length + 1, characters + size) !== null) {
      noRoom.push(query.name);
      continue;
    }
    merged.push(named);
    characters += size;
    if (named.name === query.name) taken.push(query.name);
    else renamed.push([query.name, named.name]);
  }
  return { queries: inOrder(merged), report: { taken, renamed, same, noRoom, unreadable: file.unreadable } };
}
