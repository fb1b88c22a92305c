import { fold } from '../../../rows/cells.js';
import { type Language, language } from '../language/language.js';
import { createStore } from '../store/store.js';

/** A code with its name in each language. */
export interface NamedCode {
  readonly code: string;
  readonly fr: string;
  readonly en: string;
}

/** A value that can be picked. */
export interface Option {
  readonly code: string;
  readonly label: string;
  /** What distinguishes it from others of the same name. */
  readonly note: string;
}

/** Where the values of a picker come from. */
export interface OptionSource {
  /** The message to show if nothing matches and there is more to say than that. */
  readonly nothing?: 'noCommonCode' | 'noCommune';
  /** The options that match a text, best first; for an empty text, all of them if they are few. */
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>;
  /** Resolves when the names have loaded; undefined if they are always known. */
  loaded?(): Promise<unknown>;
  /** The name of a code; null if it is not known here. */
  labelOf(code: string): string | null;
  /** Called with each option that is picked. */
  picked?(option: Option): void;
}

/** Sources by the kind of variable. */
export type OptionSources = Readonly<Record<'commune' | 'departement' | 'domain' | 'rome', OptionSource>>;

/** Changes when the names of a source have loaded: what shows names is then rendered again. */
export const loadedNames = createStore(0);

/** Options shown at once; typing finds the others. */
const SHOWN = 60;

/** A source of named codes, loaded when first used, searched by code or by words of their names in either language. */
export function listed(load: () => Promise<readonly NamedCode[]>): OptionSource {
  let codes: readonly NamedCode[] = [];
  const loaded = async (): Promise<readonly NamedCode[]> => {
    if (codes.length === 0) {
      codes = await load();
      loadedNames.set(loadedNames.get() + 1);
    }
    return codes;
  };
  return {
    loaded,
    find: async (text) => findByName(await loaded(), text),
    labelOf: (code) => codes.find((named) => named.code === code)?.[language.get()] ?? null,
  };
}

function findByName(codes: readonly NamedCode[], text: string): readonly Option[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  return codes
    .filter(({ code, fr, en }) => words.every((word) => fold(`${code} ${fr} ${en}`).includes(word)))
    .sort((one, other) => rank(one, words) - rank(other, words))
    .slice(0, SHOWN)
    .map((named) => ({ code: named.code, label: named[language.get()], note: named.code }));
}

/** Exact codes first, then names that begin with the text. */
function rank(named: NamedCode, words: readonly string[]): number {
  const text = words.join(' ');
  if (text === '') return 0;
  if (fold(named.code) === text) return 0;
  return NAMES.some((name) => fold(named[name]).startsWith(text)) ? 1 : 2;
}

const NAMES: readonly Language[] = ['fr', 'en'];
