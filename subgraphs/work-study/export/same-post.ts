/**
 * Whether two offers are the same post, told by two partners. They have to agree in all of this:
 *
 * - **partner**: different ones. A partner that lists two offers knows why.
 * - **workplace**: the same SIRET; if one of them lacks it, the same name in the same commune and street.
 * - **title**: the same words, whatever their order, case, accents, gender marks and numbers. `Boulanger de nuit` is not
 *   `Boulanger`. What says nothing here is left out: alternance, and the name of the commune.
 * - **description**: nearly the same text. The measure is that of A. Broder, "On the resemblance and containment of
 *   documents" (1997): the share of runs of three words that both have, or that the shorter has of the longer. What is
 *   filled into the same words tells two posts: each has a number, or a commune, that the other lacks.
 * - **all else that both say**: commune, postal code, kind of contract, level, duration, start, where the work is done,
 *   who manages the offer. One of them may be silent.
 *
 * Wrong pairs hide an offer, missed ones show it twice: in doubt they are different.
 */

import { instantOf } from '../../../kernel/dates.js';
import { fold, foldText, masculine, wordsOf } from '../../../kernel/fold.js';
import { foldPlaceName, postalCodesIn } from '../../codes/places.js';
import { communeIndex } from '../communes/commune-index.js';
import { partOf, type RawRow, textOf } from './stored-rows.js';

/** What offers of the same post have in common beside title and description, as bits. */
export const SIGNALS = { SIRET: 1, WORKPLACE: 2, PLACE: 4 } as const;

/** Where a row is, and what it calls its workplace and itself. */
interface Employer {
  readonly siret: string;
  /** Folded; empty for none. */
  readonly name: string;
  /** The name, the brand and the legal name: those that there are. */
  readonly names: readonly string[];
  /** Words of the title in a form that offers of the same post share; empty if there are none. */
  readonly title: string;
  /** INSEE code; empty if unknown. */
  readonly commune: string;
}

/** What is compared of an offer. Texts are empty and times NaN where the offer is silent. */
export interface Post extends Employer {
  readonly partner: string;
  readonly street: Street;
  readonly contracts: readonly string[];
  /** Said by both, they must be equal. */
  readonly facts: readonly string[];
  readonly created: number;
  readonly begins: number;
  /** What its description says, read when it is first asked for: of most offers all else differs before. */
  described(): Described;
}

/** What is compared of a description. */
interface Described {
  /** Hashes of its runs of three words, ascending; none if it is too short to tell. */
  readonly runs: Uint32Array;
  /** Numbers, and names of communes, in it. */
  readonly numbers: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
}

/** What precedes the postal code of an address. */
interface Street {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

/** Two offers between which nothing differs. */
export interface Comparison {
  /** Whether enough agrees: false if the workplace of one says too little, or the texts are only somewhat alike. */
  readonly isSame: boolean;
  /** `SIGNALS` that both share. */
  readonly signals: number;
  /** How much agrees: the share of the description that both have, and a little for each fact that both say. */
  readonly likeness: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Apart by more, two starts are two sessions; partners round to the week. */
const START_DAYS = 7;
/** Apart by more, two publications are those of two years. */
const CREATED_DAYS = 180;

/** A fact that both say counts as much as a twentieth of the description. */
const FACT_LIKENESS = 0.05;

/** Compares all but the partners of two offers; null if they are not the same post. */
export function compare(one: Post, other: Post): Comparison | null {
  if (one.title === '' || one.title !== other.title) return null;
  if (one.facts.some((fact, place) => differs(fact, other.facts[place] ?? ''))) return null;
  if (apart(one.begins, other.begins, START_DAYS) || apart(one.created, other.created, CREATED_DAYS)) return null;
  if (!haveCommon(one.contracts, other.contracts)) return null;
  const workplaces = compareWorkplaces(one, other);
  const texts = workplaces && compareTexts(one.described(), other.described());
  if (workplaces === null || texts === null) return null;
  const facts = one.facts.filter((fact, place) => fact !== '' && other.facts[place] === fact).length;
  const exact = [
    one.contracts.join() === other.contracts.join(),
    Math.abs(one.created - other.created) <= DAY_MS,
    Math.abs(one.begins - other.begins) <= DAY_MS,
  ].filter(Boolean).length;
  return {
    isSame: workplaces.isSame && texts.isNear,
    signals: workplaces.signals,
    likeness: texts.likeness + FACT_LIKENESS * (facts + exact),
  };
}

function differs(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other;
}

function apart(one: number, other: number, days: number): boolean {
  return Math.abs(one - other) > days * DAY_MS;
}

/** Whether one is silent, or both have an item in common. */
function haveCommon(one: readonly string[], other: readonly string[]): boolean {
  return one.length === 0 || other.length === 0 || one.some((item) => other.includes(item));
}

/** Whether each has an item that the other lacks: one may only be silent. */
function eachHasMore(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((item) => !other.has(item)) && [...other].some((item) => !one.has(item));
}

/** What both workplaces share; null if they differ. SIRETs, communes and postal codes do not. */
function compareWorkplaces(one: Post, other: Post): Omit<Comparison, 'likeness'> | null {
  const sameSiret = one.siret !== '' && other.siret !== '';
  const sameName =
    (one.name !== '' && other.names.includes(one.name)) || (other.name !== '' && one.names.includes(other.name));
  const samePlace = one.commune !== '' && other.commune !== '';
  if (!sameSiret && !(haveCommon(one.names, other.names) && mayBeSameStreet(one.street, other.street))) return null;
  const signals =
    (sameSiret ? SIGNALS.SIRET : 0) | (sameName ? SIGNALS.WORKPLACE : 0) | (samePlace ? SIGNALS.PLACE : 0);
  return { isSame: sameSiret || (sameName && samePlace), signals };
}

/** Another number of the same street is another workplace; a street without a number may be the same. */
function mayBeSameStreet(one: Street, other: Street): boolean {
  const shared = [...one.words].filter((word) => other.words.has(word)).length;
  const isSame = shared >= (one.words.size + other.words.size - shared) / 2;
  return !eachHasMore(one.numbers, other.numbers) && (isSame || one.words.size === 0 || other.words.size === 0);
}

/** Texts with so many runs in common are nearly the same: about six of a hundred words may differ. */
const MIN_SHARED = 0.7;
/** One of them may be cut, or end with what its partner adds, up to half of the longer. */
const MIN_CONTAINED = 0.9;
const MIN_LENGTH_RATIO = 0.5;
/** Two that are nearly the same as a third have at least so much in common. */
const [MIN_SHARED_BY_THIRD, MIN_CONTAINED_BY_THIRD] = [0.5, 0.75];

/** The share of runs that both have, and whether the texts are nearly the same; null if they are not those of one post. */
function compareTexts(first: Described, second: Described): { likeness: number; isNear: boolean } | null {
  if (eachHasMore(first.numbers, second.numbers) || eachHasMore(first.places, second.places)) return null;
  const [one, other] = [first.runs, second.runs];
  const shorter = Math.min(one.length, other.length);
  let [at, otherAt, shared] = [0, 0, 0];
  while (at < one.length && otherAt < other.length) {
    const difference = (one[at] ?? 0) - (other[otherAt] ?? 0);
    if (difference === 0) shared++;
    if (difference <= 0) at++;
    if (difference >= 0) otherAt++;
  }
  if (shorter === 0) return null;
  const likeness = shared / (one.length + other.length - shared);
  const contained = shorter < MIN_LENGTH_RATIO * Math.max(one.length, other.length) ? 0 : shared / shorter;
  if (likeness < MIN_SHARED_BY_THIRD && contained < MIN_CONTAINED_BY_THIRD) return null;
  return { likeness, isNear: likeness >= MIN_SHARED || contained >= MIN_CONTAINED };
}

/** Reads what is compared of an offer; `commune` is the INSEE code of its workplace, or empty. */
export function postOf(row: RawRow, commune: string): Post {
  const [workplace, contract, offer] = [partOf(row, 'workplace'), partOf(row, 'contract'), partOf(row, 'offer')];
  const address = textOf(partOf(workplace, 'location')['address']);
  const { duration, remote, type } = contract;
  const employer = employerOf(row, commune);
  let described: Described | undefined;
  return {
    ...employer,
    described: () => (described ??= describedIn(textOf(offer['description']))),
    partner: foldText(textOf(partOf(row, 'identifier')['partner_label'])),
    street: streetIn(address),
    contracts: Array.isArray(type) ? type.map(textOf) : [],
    facts: [
      employer.siret,
      commune,
      // A CEDEX has a postal code of its own.
      /cedex/i.test(address) ? '' : (postalCodesIn(address)[0] ?? ''),
      textOf(partOf(offer, 'target_diploma')['european']),
      typeof duration === 'number' ? String(duration) : '',
      textOf(remote),
      String(row['is_delegated'] === true),
    ],
    created: instantOf(textOf(partOf(offer, 'publication')['creation'])),
    begins: instantOf(textOf(contract['start'])),
  };
}

function employerOf(row: RawRow, commune: string): Employer {
  const [workplace, offer] = [partOf(row, 'workplace'), partOf(row, 'offer')];
  const siret = textOf(workplace['siret']);
  const name = nameOf(workplace['name']);
  const others = [nameOf(workplace['brand']), nameOf(workplace['legal_name'])];
  return {
    siret: /^\d{14}$/.test(siret) ? siret : '',
    name,
    names: [...new Set([name, ...others])].filter((one) => one !== ''),
    title: titleWords(textOf(offer['title']), communeIndex().byInsee.get(commune)?.nom ?? ''),
    commune,
  };
}

/** Texts of which offers of the same post share at least one. */
export function keysOfPost(row: RawRow, commune: string): string[] {
  const { siret, names, title } = employerOf(row, commune);
  if (title === '') return [];
  const named = commune === '' ? [] : names.map((name) => `${title}\n${commune} ${name}`);
  return siret === '' ? named : [`${title}\n${siret}`, ...named];
}

const LEGAL_FORMS = new Set('sa sas sasu sarl eurl sci snc scop scic selarl ste societe ets etablissements'.split(' '));

/** A name without its legal form; empty where it is withheld. */
function nameOf(value: unknown): string {
  const folded = foldText(textOf(value));
  if (/confidentiel|anonyme/.test(folded)) return '';
  return folded
    .split(' ')
    .filter((word) => !LEGAL_FORMS.has(word))
    .join(' ');
}

const WAYS = new Set(
  'r rue av ave avenue bd bld boulevard pl place chemin ch route rte quai de du des la le l d'.split(' '),
);

function streetIn(address: string): Street {
  const [street = ''] = address.split(/(?<!\d)\d{5}(?!\d)/);
  const words = street === address ? [] : wordsOf(street).filter((word) => !WAYS.has(word));
  const isNumber = (word: string) => /^\d/.test(word);
  return { words: new Set(words.filter((word) => !isNumber(word))), numbers: new Set(words.filter(isNumber)) };
}

/** So many words of a description are compared. */
const MAX_COMPARED_WORDS = 2000;
/** Fewer words say too little; a few have to be equal, because each is part of three runs. */
const MIN_COMPARED_WORDS = 4;

/** What separates the digits of `06 12 34 56 78` and `1 200`. */
const WITHIN_NUMBER = /(?<=\d)[ .](?=\d)/g;
/** A word that may have been cut: before dots, or at an end without a full stop. */
const CUT = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:\.{3}|\s*$)/gu;
/** Words of the longest name of a commune that is looked for. */
const MAX_PLACE_WORDS = 3;

function describedIn(description: string): Described {
  const text = fold(description);
  const words = wordsOf(text).slice(0, MAX_COMPARED_WORDS);
  const whole = text.replace(CUT, ' ');
  return {
    runs: runsOf(words),
    numbers: numbersIn(whole),
    places: placesIn(wordsOf(whole).slice(0, MAX_COMPARED_WORDS)),
  };
}

/** Numbers in a text, each with how often it has occurred. */
function numbersIn(text: string): ReadonlySet<string> {
  const times = new Map<string, number>();
  const numbers = text.replace(WITHIN_NUMBER, '').match(/\d+/g) ?? [];
  return new Set(
    numbers.slice(0, MAX_COMPARED_WORDS).map((number) => {
      const before = times.get(number) ?? 0;
      times.set(number, before + 1);
      return `${number} ${before}`;
    }),
  );
}

/** Names of communes in a text, many of which are words, too. */
function placesIn(words: readonly string[]): ReadonlySet<string> {
  const { byName } = communeIndex();
  const places = new Set<string>();
  for (const at of words.keys()) {
    for (let count = 1; count <= MAX_PLACE_WORDS; count++) {
      const name = words.slice(at, at + count).join(' ');
      if (byName.has(name)) places.add(name);
    }
  }
  return places;
}

/** Hashes of all runs of three words, ascending. */
function runsOf(words: readonly string[]): Uint32Array {
  if (words.length < MIN_COMPARED_WORDS) return new Uint32Array(0);
  const runs = new Set<number>();
  let [first, second] = [0, 0];
  for (const [place, word] of words.entries()) {
    const third = hashOf(word);
    if (place > 1) runs.add((Math.imul(Math.imul(first, 31) + second, 31) + third) >>> 0);
    [first, second] = [second, third];
  }
  return Uint32Array.from(runs).sort();
}

/** A hash of 32 bits (FNV-1a, mixed). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Characters of a title that are read. */
const MAX_TITLE = 300;

/** The other gender after a word: `boulanger·ère`, `chargé(e)`, `directeur/trice`. Not `vente/e-commerce`. */
const OTHER_ENDING =
  /(?<=[a-z])(?:(?:\s?\(|\s?\/\s?(?=[a-z]{2})|[/·•‧∙⋅.\-–_])[-.]?(?:es?|s|n?nes?|les?|t?tes?|i?eres?|euses?|t?rices?|ices?|[it]?ennes?|i?ves?|s?ses?|fes?|esses?|eresses?)(?:\)s?)?)+(?!-?[a-z0-9'’])/g;
/** `(H/F)`, `f-h`, `HF`, `H/F/X`, `homme ou femme`. */
const GENDERS =
  /\b[hfmw](?:\s?[/\-.·•|&+, ]\s?(?:[hfmwxd]|nb)){1,3}\b|\b(?:hf|fh|mf|fm)\b|\bh ou f\b|\b(?:hommes?|femmes?)\s?(?:\/|ou|et|-|,)\s?(?:hommes?|femmes?)\b/g;
const REFERENCE = /\b(?:ref|reference|offre|annonce|n°|no)\s*[:.°]?\s*(?:n°\s*)?[a-z]{0,6}[-_]?\d[\w-]*/g;
/** The number of a level is part of the title. */
const LEVEL = /\b(bac|niveau|niv|classe|categorie)\s*\+?\s*(\d+)/g;
/** A number without a meaning of its own, with its unit. */
const QUANTITY = /\b\d+\s?(?:mois|ans?|semaines?|jours?|heures?|h)\b/g;
const NUMBER = /^\d+(?:h\d*|e|k|eur|euros?|heures?)?$/;
const SILENT = new Set(
  'de du des d la le les l en a au aux et ou pour un une sur dans chez alternance alternant alternante apprentissage apprenti apprentie'.split(
    ' ',
  ),
);
/** The words of a title in the order of the alphabet, without what differs between partners. */
function titleWords(title: string, commune: string): string {
  const plain = fold(title.slice(0, MAX_TITLE))
    .replace(GENDERS, ' ')
    .replace(OTHER_ENDING, ' ')
    .replace(REFERENCE, ' ')
    .replace(LEVEL, '$1$2 ')
    .replace(QUANTITY, ' ')
    // C, C++ and C# are three.
    .replaceAll('+', ' plus ')
    .replace(/#(?!\d)/g, ' sharp ');
  const text = ` ${foldText(plain)} `;
  const words = commune === '' ? text : text.replace(` ${foldPlaceName(commune)} `, ' ');
  const kept = words.split(' ').filter((word) => word !== '' && !SILENT.has(word) && !NUMBER.test(word));
  return [...new Set(kept.map(masculine))].sort().join(' ');
}
