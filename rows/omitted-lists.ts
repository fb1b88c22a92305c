import type { RowList } from './lists.js';

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

/** The names that are shown, and how many more there are. */
interface Shown {
  readonly names: readonly string[];
  readonly further: number;
}

/** The names as one text for a header, except those that a header cannot contain; null if there are none. */
export function writeOmitted(names: readonly string[]): string | null {
  return names.length === 0 ? null : TEXTS.en.names(shownOf(names));
}

/** A file's note on lists that it omits; null if there are none. */
export function omittedNote(names: readonly string[], language: keyof typeof TEXTS): string | null {
  if (names.length === 0) return null;
  const texts = TEXTS[language];
  const shown = shownOf(names);
  const [first] = shown.names;
  return first === undefined ? texts.names(shown) : `${texts.names(shown)} (${texts.rowsOf(first)})`;
}

function shownOf(all: readonly string[]): Shown {
  // The keys of a JSON scalar may be any text, but a header cannot contain `cœur`.
  const names = all.filter((name) => name.length <= MAX_LENGTH && /^[\w.]+$/.test(name)).slice(0, MAX_NAMES);
  return { names, further: all.length - names.length };
}

const TEXTS = {
  en: {
    names: ({ names, further }: Shown) =>
      names.length === 0
        ? `${further} ${further === 1 ? 'list' : 'lists'}`
        : [...names, ...(further === 0 ? [] : [`${further} more`])].join(', '),
    rowsOf: (first: string) => `path=${first} has the rows of the first`,
  },
  fr: {
    names: ({ names, further }: Shown) =>
      names.length === 0
        ? `${further} ${further === 1 ? 'liste' : 'listes'}`
        : [...names, ...(further === 0 ? [] : [`${further} de plus`])].join(', '),
    rowsOf: (first: string) => `path=${first} donne les lignes de la première`,
  },
};
