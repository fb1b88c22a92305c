import { isList, isObject, type Json } from '../../../rows/path.js';
import type { Known } from '../../questions/compose.js';
import { dayInParis } from '../../questions/days.js';
import { type Place, type Question, readPlace } from '../../questions/question.js';
import { isSameWord, plainName, termsOf } from '../../questions/terms.js';
import type { Finders, Found } from '../../questions/words.js';
import { sendQuery } from '../request/send-query.js';
import { language } from '../state/language.js';
import { createStore } from '../state/store.js';

/*
 * What the page knows of codes: régions and départements from a list that it ships, everything else asked of the graph,
 * without the reader's keys, and kept as long as the page. None of these queries makes a call, but for the centre of a
 * commune and the postal codes of missions locales.
 */

/** An occupation with the words for it in both languages, beside its official names. */
interface Occupation {
  readonly code: string;
  readonly fr: string;
  readonly en: string;
  readonly words: readonly string[];
}

interface Lists {
  readonly regions: readonly Found[];
  readonly departements: readonly (Found & { readonly region: string })[];
  readonly occupations: readonly Occupation[];
  readonly towns: ReadonlySet<string>;
}

let lists: Lists | null = null;

/** Changes when something has become known: what shows names or composes questions is then rendered again. */
export const knowledge = createStore(0);

const learned = (): void => knowledge.set(knowledge.get() + 1);

/** Loads the lists that the page ships. */
export async function loadLists(): Promise<Lists> {
  if (lists !== null) return lists;
  const [departements, regions, towns, occupations] = await Promise.all([
    import('@etalab/decoupage-administratif/data/departements.json'),
    import('@etalab/decoupage-administratif/data/regions.json'),
    import('../../questions/towns.json', { with: { type: 'json' } }),
    import('../../questions/occupations.json', { with: { type: 'json' } }),
  ]);
  lists = {
    regions: regions.default.map(({ code, nom }) => ({ code, label: nom })),
    departements: departements.default.map(({ code, nom, region }) => ({ code, label: nom, region })),
    occupations: occupations.default,
    towns: new Set(towns.default.map(([name]) => plainName(String(name)))),
  };
  learned();
  return lists;
}

/** Answers that do not change while the page is open, by what was asked. */
const answers = new Map<string, Json>();

async function ask(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  signal: AbortSignal | null = null,
): Promise<Json> {
  const key = JSON.stringify([query, variables]);
  const before = answers.get(key);
  if (before !== undefined) return before;
  const { response } = await sendQuery({ query, variables }, { signal, isAnonymous: true });
  const data: Json = response.data ?? null;
  if (data !== null && response.errors === undefined) answers.set(key, data);
  return data;
}

function listAt(json: Json, ...path: readonly string[]): readonly Json[] {
  const found = path.reduce<Json>((at, step) => (isObject(at) ? (at[step] ?? null) : null), json);
  return isList(found) ? found : [];
}

function textAt(json: Json, ...path: readonly string[]): string {
  const found = path.reduce<Json>((at, step) => (isObject(at) ? (at[step] ?? null) : null), json);
  return typeof found === 'string' ? found : '';
}

function numberAt(json: Json, key: string): number | null {
  const found = isObject(json) ? json[key] : null;
  return typeof found === 'number' ? found : null;
}

/** Names of places and occupations, by the value of a question. */
const names = new Map<string, string>();

/** The name of a place or an occupation; null until it is known. */
export function nameOf(value: string): string | null {
  const place = readPlace(value);
  const key = place === null ? value : `${place.kind}:${place.code}`;
  if (place?.kind === 'postal') return place.code;
  const of = place?.kind === 'region' ? lists?.regions : place?.kind === 'departement' ? lists?.departements : [];
  const occupation = lists?.occupations.find(({ code }) => code === value)?.[language.get()];
  return of?.find(({ code }) => code === place?.code)?.label ?? occupation ?? names.get(key) ?? null;
}

/** Remembers the name of a value that was picked or found. */
export function rememberName(value: string, label: string): void {
  const place = readPlace(value);
  names.set(place === null ? value : `${place.kind}:${place.code}`, label);
}

/** Root fields of one request, of which the gateway allows 30. */
const AT_ONCE = 25;

/** What a root field that finds by a name has for each of several names, in requests of many. */
async function askNames(field: string, selection: string, wanted: readonly string[]): Promise<(readonly Json[])[]> {
  const groups = Array.from({ length: Math.ceil(wanted.length / AT_ONCE) }, (_, at) =>
    wanted.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const found = groups.map(async (names) => {
    const declared = names.map((_, at) => `$n${at}: String!`).join(', ');
    const fields = names.map((_, at) => `n${at}: ${field.replace('NAME', `$n${at}`)} ${selection}`).join(' ');
    const data = await ask(
      `query Names(${declared}) { ${fields} }`,
      Object.fromEntries(names.map((name, at) => [`n${at}`, name])),
    );
    return names.map((_, at) => listAt(data, `n${at}`));
  });
  return (await Promise.all(found)).flat();
}

const COMMUNE = '{ nom code { insee } departement { nom codeInsee } }';
const COMMUNES = 'communesByName(name: NAME, first: 5)';

/** Communes with exactly these names, the largest first, each with its département. */
async function communesNamed(wanted: readonly string[]): Promise<Found[][]> {
  const found = await askNames(COMMUNES, COMMUNE, wanted);
  return found.map((communes, at) => {
    const name = plainName((wanted[at] ?? '').replace(/ ?\(?\b(?:\d{2,3}|2[AB])\)?$/, ''));
    return communes.flatMap(readCommune).filter(({ plain }) => plain === name);
  });
}

const EPCIS = 'epcisByName(name: NAME, first: 3)';

/** EPCI with exactly these names, or with them after what they are, such as `CC`. */
async function epcisNamed(wanted: readonly string[]): Promise<Found[][]> {
  const found = await askNames(EPCIS, '{ code nom }', wanted);
  return found.map((epcis, at) => {
    const name = plainName(wanted[at] ?? '');
    return epcis
      .map((json) => ({ code: textAt(json, 'code'), label: textAt(json, 'nom') }))
      .filter(({ label }) => plainName(label).replace(/^c[cau] (?:de |du |des |d )?/, '') === name);
  });
}

/** A commune as it is offered: its name with that of its département. */
function readCommune(json: Json): (Found & { readonly plain: string })[] {
  const [code, nom] = [textAt(json, 'code', 'insee'), textAt(json, 'nom')];
  if (code === '' || nom === '') return [];
  rememberName(`commune:${code}`, nom);
  return [{ code, label: `${nom} (${textAt(json, 'departement', 'nom')})`, plain: plainName(nom) }];
}

const KINDS = { COMMUNE: 'commune', EPCI: 'epci', DEPARTMENT: 'departement', REGION: 'region' } as const;
const PLACES =
  'query Places($name: String!) { found: placesByName(name: $name, first: 12) { kind code nom population } }';

/** Places with a name, in both languages, or with a code; with their inhabitants. */
export async function placesNamed(text: string, signal: AbortSignal | null = null) {
  return listAt(await ask(PLACES, { name: text }, signal), 'found').map((json) => {
    const kind = KINDS[textAt(json, 'kind') as keyof typeof KINDS];
    return { kind, code: textAt(json, 'code'), label: textAt(json, 'nom'), population: numberAt(json, 'population') };
  });
}

const OCCUPATION = '{ code label parent { code label } matchedName offerCount }';
const OCCUPATIONS = 'occupationsByName(name: NAME, first: 8)';

/** Occupations that texts mean: by their official name, else by the words for them, else by a part of their name. */
async function occupationsOf(texts: readonly string[]): Promise<Found[][]> {
  const { occupations } = await loadLists();
  const found = await askNames(OCCUPATIONS, OCCUPATION, texts);
  return texts.map((text, at) => {
    const official = (found[at] ?? []).filter((one) => beginsAs(textAt(one, 'matchedName'), text));
    const exact = official.filter((one) => isNamed(textAt(one, 'matchedName'), text));
    const known = occupations
      .filter((one) => [one.fr, one.en, ...one.words].some(isSaidBy(text)))
      .map((one): Found => ({ code: one.code, label: one[language.get()] }));
    const [first] = [...exact.map(readOccupation), ...known];
    if (first === undefined) return official.map(readOccupation);
    // Some words are of two, such as `menuisier` of wood and of windows.
    const second = known.find(({ code }) => code !== first.code);
    return [second === undefined ? first : { wider: second.code, ...first }];
  });
}

/** Whether two texts are the same words but for case, accents and endings. */
function isSaidBy(text: string): (words: string) => boolean {
  const said = termsOf(text);
  return (words) => {
    const terms = termsOf(words);
    return terms.length === said.length && terms.every((term, at) => isSameWord(term, said[at] ?? term));
  };
}

/** Whether a name begins with the first word of a text: `social` is no `assistant social`. */
function beginsAs(name: string, text: string): boolean {
  return gendersOf(name).some((one) => one.split(' ')[0] === singular(plainName(text)).split(' ')[0]);
}

/** Whether a text is a whole name, in either gender. */
function isNamed(name: string, text: string): boolean {
  return gendersOf(name).includes(singular(plainName(text)));
}

function gendersOf(name: string): string[] {
  return name.split(' / ').map((one) => singular(plainName(one)));
}

function singular(name: string): string {
  return name.replaceAll(/[sx]\b/g, '');
}

/** An occupation of the graph, with the one that it stands under. */
function readOccupation(json: Json): Found {
  const [code, label, wider] = [textAt(json, 'code'), textAt(json, 'label'), textAt(json, 'parent', 'code')];
  rememberName(code, label);
  if (wider === '') return { code, label };
  rememberName(wider, textAt(json, 'parent', 'label'));
  return { code, label, wider };
}

/** Occupations whose names have a text, in both languages, with their offers; null while the export is loading. */
export async function findOccupations(text: string): Promise<(Found & { readonly offers: number | null })[]> {
  const { occupations } = await loadLists();
  const plain = plainName(text);
  const own = occupations
    .filter(({ code, fr, en, words }) => [code, fr, en, ...words].some((name) => plainName(name).includes(plain)))
    .map((one) => ({ code: one.code, label: one[language.get()], offers: null }));
  if (plain === '') return own;
  const shown = own.slice(0, AT_ONCE - 1);
  const found = (await askNames(OCCUPATIONS, OCCUPATION, [text, ...shown.map(({ code }) => code)])).map((all) =>
    all.map((json) => ({ ...readOccupation(json), offers: numberAt(json, 'offerCount') })),
  );
  const offersOf = new Map(found.flat().map(({ code, offers }) => [code, offers]));
  const all = [...shown.map((one) => ({ ...one, offers: offersOf.get(one.code) ?? null })), ...(found[0] ?? [])];
  return all.filter((one, at) => all.findIndex(({ code }) => code === one.code) === at);
}

const PARTNERS = 'query Partners { exportedOfferCounts(by: [PARTNER], top: 200) { groups { key } } }';

/** Labels of the partners that have offers. */
export async function partnersOfOffers(): Promise<string[]> {
  const groups = listAt(await ask(PARTNERS, {}), 'exportedOfferCounts', 'groups');
  return groups.flatMap((group) => listAt(group, 'key').filter((key) => typeof key === 'string'));
}

/** What a sentence is read with. */
export async function findersNow(): Promise<Finders> {
  const { regions, departements, towns } = await loadLists();
  return {
    today: today(),
    regions,
    departements,
    communes: communesNamed,
    epcis: epcisNamed,
    occupations: occupationsOf,
    partners: () => partnersOfOffers().catch(() => []),
    isTown: (name) => towns.has(plainName(name)),
  };
}

/** Today in Paris. */
export function today(): string {
  return dayInParis(Date.now());
}

const centres = new Map<string, { readonly latitude: number; readonly longitude: number }>();
const members = new Map<string, readonly string[]>();
let postalCodes: readonly string[] | null = null;

/** What questions are composed with; `learnFor` makes it know more. */
export function knownNow(): Known {
  return {
    today: today(),
    departementsOf: (region) =>
      (lists?.departements ?? []).filter((one) => one.region === region).map(({ code }) => code),
    communesOf: ({ kind, code }) => members.get(`${kind}:${code}`) ?? null,
    centreOf: (insee) => centres.get(insee) ?? null,
    postalCodesOf: (departements) => postalCodes?.filter((code) => departements.includes(departementOf(code))) ?? null,
  };
}

/** The département of a postal code. */
function departementOf(postalCode: string): string {
  const two = postalCode.slice(0, 2);
  if (two === '20') return postalCode < '20200' ? '2A' : '2B';
  return two === '97' || two === '98' ? postalCode.slice(0, 3) : two;
}

/** Looks up what a question needs to be composed and named; resolves when all is known that can be. */
export async function learnFor({ subject, criteria }: Question): Promise<void> {
  await loadLists();
  const unnamed = (criteria['occupation'] ?? []).filter((code) => nameOf(code) === null);
  const places = (criteria['place'] ?? []).flatMap((value) => readPlace(value) ?? []);
  const wanted = places.map((place) => learnPlace(place, subject));
  if (unnamed.length > 0) wanted.push(learnOccupations(unnamed));
  await Promise.allSettled(wanted);
  learned();
}

async function learnPlace({ kind, code }: Place, subject: string): Promise<void> {
  const isLocal = subject === 'missions-locales';
  if (kind === 'commune') {
    const data = await ask(`query Commune($insee: INSEECode!) { commune(insee: $insee) { nom } }`, { insee: code });
    if (isObject(data)) rememberName(`commune:${code}`, textAt(data, 'commune', 'nom') || code);
    if (isLocal) await learnCentre(code);
  } else if (kind === 'epci') {
    if (nameOf(`epci:${code}`) === null)
      for (const { label } of await placesNamed(code)) rememberName(`epci:${code}`, label);
  } else if (kind === 'postal') {
    const data = await ask(
      `query Communes($name: String!) { found: communesByName(name: $name, first: 50) ${COMMUNE} }`,
      { name: code },
    );
    members.set(
      `postal:${code}`,
      listAt(data, 'found').map((one) => textAt(one, 'code', 'insee')),
    );
  } else if (isLocal && postalCodes === null) {
    const data = await ask('query PostalCodes { missionsLocales { localisation { cp } } }', {});
    const all = listAt(data, 'missionsLocales').map((one) => textAt(one, 'localisation', 'cp'));
    postalCodes = [...new Set(all.filter((one) => one !== ''))];
  }
}

async function learnOccupations(codes: readonly string[]): Promise<void> {
  const found = await askNames(OCCUPATIONS, OCCUPATION, codes);
  for (const one of found.flat()) rememberName(textAt(one, 'code'), textAt(one, 'label'));
}

async function learnCentre(insee: string): Promise<void> {
  const centre = await centreOf(insee);
  if (centre !== null) centres.set(insee, centre);
}

/** The centre of a commune; null if it is not known. */
export async function centreOf(
  insee: string,
): Promise<{ readonly latitude: number; readonly longitude: number } | null> {
  const query =
    'query Centre($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }';
  const data = await ask(query, { insee }).catch(() => null);
  const [longitude, latitude] = listAt(data, 'commune', 'localisation', 'centre', 'coordinates');
  return typeof longitude === 'number' && typeof latitude === 'number' ? { latitude, longitude } : null;
}
