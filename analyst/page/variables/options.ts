import { fold } from '../../../rows/cells.js';
import { isList, isObject, type Json } from '../../../rows/path.js';
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
  domain: listed(async () => DOMAINS),
  rome: { ...listed(async () => (await import('./rome-codes.js')).ROME_CODES), nothing: 'noCommonCode' },
};

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

/** Domains of missions (volunteering 7.1) with their names; the vocabulary is open, so any other word can be typed. */
export const DOMAINS: readonly NamedCode[] = [
  { code: 'animaux', fr: 'Animaux', en: 'Animals' },
  { code: 'autre', fr: 'Interventions d’urgence en cas de crise', en: 'Emergencies and other' },
  { code: 'batiment-industrie-logistique', fr: 'Bâtiment, industrie, logistique', en: 'Building, industry, logistics' },
  { code: 'benevolat-competences', fr: 'Bénévolat de compétences', en: 'Skills-based volunteering' },
  { code: 'communication', fr: 'Communication', en: 'Communications' },
  { code: 'culture-loisirs', fr: 'Culture et loisirs', en: 'Culture and leisure' },
  { code: 'education', fr: 'Éducation pour tous', en: 'Education' },
  { code: 'emploi', fr: 'Emploi', en: 'Employment' },
  { code: 'environnement', fr: 'Environnement', en: 'Environment' },
  { code: 'gestion-finance-droit', fr: 'Gestion, commerce, finance, droit', en: 'Management, trade, finance, law' },
  { code: 'humanitaire', fr: 'Aide humanitaire internationale', en: 'International humanitarian aid' },
  { code: 'memoire-et-citoyennete', fr: 'Mémoire et citoyenneté', en: 'Memory and citizenship' },
  { code: 'numerique', fr: 'Numérique', en: 'Digital' },
  { code: 'prevention-protection', fr: 'Prévention et protection', en: 'Prevention and protection' },
  { code: 'recherche', fr: 'Recherche', en: 'Research' },
  { code: 'sante', fr: 'Santé', en: 'Health' },
  {
    code: 'service-public-defense-securite',
    fr: 'Service public, défense, sécurité',
    en: 'Public service and security',
  },
  { code: 'solidarite-insertion', fr: 'Solidarité et insertion', en: 'Solidarity and inclusion' },
  { code: 'sport', fr: 'Sport', en: 'Sports' },
  { code: 'vivre-ensemble', fr: 'Vivre ensemble', en: 'Living together' },
];

/** European levels of diplomas, as EuropeanLevel in the graph, with what they are called. */
export const LEVELS: readonly NamedCode[] = [
  { code: 'LEVEL_1', fr: 'Niveau 1', en: 'Level 1' },
  { code: 'LEVEL_2', fr: 'Niveau 2', en: 'Level 2' },
  { code: 'LEVEL_3', fr: 'CAP, BEP (niveau 3)', en: 'CAP, BEP (level 3)' },
  { code: 'LEVEL_4', fr: 'Baccalauréat, bac pro, BP (niveau 4)', en: 'Baccalauréat, bac pro, BP (level 4)' },
  { code: 'LEVEL_5', fr: 'BTS, DEUST (niveau 5)', en: 'BTS, DEUST (level 5)' },
  { code: 'LEVEL_6', fr: 'Licence, BUT (niveau 6)', en: 'Bachelor, licence, BUT (level 6)' },
  { code: 'LEVEL_7', fr: 'Master, ingénieur (niveau 7)', en: 'Master, engineer (level 7)' },
  { code: 'LEVEL_8', fr: 'Doctorat (niveau 8)', en: 'Doctorate (level 8)' },
];

/** Names alone come from the official list that ships with the gateway: no upstream call. */
const QUERY = `query CommunesByName($name: String!) {
  communesByName(name: $name, first: 8) { nom code { insee } departement { nom codeInsee } }
}`;

const STORED = 'passerelle:communes';

/** Communes whose names are remembered. */
const REMEMBERED = 50;

/** The communes of the examples. */
const KNOWN: Readonly<Record<string, string>> = { '76540': 'Rouen', '38185': 'Grenoble', '69123': 'Lyon' };

/** The communes with this name, beginning or postal code, best match first, each with its département. */
export async function findCommunes(name: string, signal: AbortSignal): Promise<Option[]> {
  const { response } = await sendQuery({ query: QUERY, variables: { name } }, signal, {});
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
  return remembered()[insee] ?? KNOWN[insee] ?? null;
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
