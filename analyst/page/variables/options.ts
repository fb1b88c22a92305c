import { fold } from '../../../kernel/fold.js';
import { ownValue } from '../../../kernel/text.js';
import { isList, isObject, type Json } from '../../../rows/path.js';
import type { NamedCode } from '../labels/labels.js';
import { sendQuery } from '../request/send-query.js';
import { type Language, language } from '../state/language.js';
import { createStore } from '../state/store.js';

/** What pickers offer, by the kind of variable. */
export const OPTION_SOURCES: OptionSources = {
  commune: {
    // Digits alone are an INSEE code here, which may be the postal code of another commune.
    find: async (text, signal) => (/\p{L}/u.test(text) ? findCommunes(text, signal) : []),
    nothing: 'noCommune',
    labelOf: knownCommune,
    picked: ({ code, label }) => rememberCommune(code, label),
  },
  departement: listed(async () => {
    const { default: departements } = await import('@etalab/decoupage-administratif/data/departements.json');
    return departements.map(({ code, nom }) => ({ code, fr: nom, en: nom }));
  }),
  domain: listed(async () => (await import('../labels/labels.js')).DOMAINS),
  choice: listed(async () => (await import('../labels/labels.js')).CHOICES),
  // Common codes: no service lists all of the some 530, and any other can be typed.
  rome: { ...listed(async () => (await import('./rome-codes.json')).default), nothing: 'noCommonCode' },
};

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
export type OptionSources = Readonly<Record<'commune' | 'departement' | 'domain' | 'choice' | 'rome', OptionSource>>;

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

/** Names alone come from the official list that ships with the gateway: no upstream call. */
const QUERY = `query CommunesByName($name: String!) {
  communesByName(name: $name, first: 8) { nom code { insee } departement { nom codeInsee } }
}`;

const STORED = 'passerelle:communes';

/** Communes whose names are remembered. */
const REMEMBERED = 50;

/** The communes of the examples. */
const KNOWN: Readonly<Record<string, string>> = {
  '76540': 'Rouen',
  '38185': 'Grenoble',
  '69123': 'Lyon',
  '75056': 'Paris',
};

/** The communes with this name, beginning or postal code, best match first, each with its département. */
export async function findCommunes(name: string, signal: AbortSignal): Promise<Option[]> {
  const { response } = await sendQuery({ query: QUERY, variables: { name } }, signal, {}, {});
  const found = response.data?.['communesByName'];
  return isList(found) ? found.flatMap(readCommune) : [];
}

function readCommune(value: Json): Option[] {
  if (!isObject(value)) return [];
  const { nom, code, departement } = value;
  const insee = isObject(code) ? code['insee'] : null;
  if (typeof insee !== 'string' || typeof nom !== 'string') return [];
  const note = isObject(departement) ? `${departement['nom']} (${departement['codeInsee']})` : '';
  return [{ code: insee, label: nom, note }];
}

/** The name of a commune that was picked before in this browser, or that an example uses; null for others. */
function knownCommune(insee: string): string | null {
  return ownValue(remembered(), insee) ?? ownValue(KNOWN, insee) ?? null;
}

/** Remembers the name of a commune, to be shown with its code: looking it up in the graph would cost a call. */
function rememberCommune(insee: string, name: string): void {
  const { [insee]: _, ...others } = remembered();
  const entries = Object.entries({ ...others, [insee]: name }).slice(-REMEMBERED);
  window.localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(entries)));
}

function remembered(): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, name]) => typeof name === 'string'));
  } catch {
    return {};
  }
}

/** A name as it is compared: `St Denis` is `Saint-Denis`, whatever the case, accents, spaces and hyphens. */
export function plainName(name: string): string {
  return fold(name)
    .replaceAll(/[\s’'-]+/g, ' ')
    .replaceAll(/\bst(e?)\b/g, 'saint$1')
    .trim();
}
