import type { RowList } from './lists.js';

/** Names that a header and a file take. */
const MAX_NAMES = 20;
/** Characters of a name that they take: what a caller sent may have thousands. */
const MAX_LENGTH = 100;

/** A list of rows, and whether its name was given: who names one of several lists does not miss the others. */
interface ListOfRows {
  readonly path: string;
  readonly isNamed: boolean;
}

/**
 * The names, as `path` takes them, of lists of objects that have no columns in the rows of a list: those inside its
 * rows, and if it was not named those beside it. Lists that it is part of have columns.
 */
export function omittedLists(lists: readonly RowList[], { path, isNamed }: ListOfRows): string[] {
  return lists
    .filter((list) => list.count > 0 && list.path !== path && !path.startsWith(list.path))
    .filter((list) => !isNamed || list.path.startsWith(path))
    .map((list) => list.path.replaceAll('[]', ''))
    .sort();
}

/** The names as one text, without those for which there is no room; null if there are none. */
export function writeOmitted(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const shown = names.filter((name) => name.length <= MAX_LENGTH).slice(0, MAX_NAMES);
  const further = names.length - shown.length;
  return [...shown, ...(further === 0 ? [] : [`${further} more`])].join(', ');
}

/** What a file says of lists that it omits; null if there are none. */
export function omittedNote(names: readonly string[], language: keyof typeof TEXTS): string | null {
  const written = writeOmitted(names);
  return written === null ? null : TEXTS[language](written, written.split(', ', 1).join());
}

const TEXTS = {
  en: (lists: string, first: string) => `${lists} (path=${first} has the rows of the first)`,
  fr: (lists: string, first: string) => `${lists} (path=${first} donne les lignes de la première)`,
};
