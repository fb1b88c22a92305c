import { freeName, inOrder, isSamePlace, readSavedQuery, refusalOf, type SavedQuery } from './saved-query.js';

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
export interface SavedFile {
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
    if (refusalOf({ count: merged.length + 1, characters: characters + size }) !== null) {
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
