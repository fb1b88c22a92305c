import { ownValue } from '../../kernel/text.js';
import grammar from './grammar.json' with { type: 'json' };
import {
  CRITERIA,
  criteriaOf,
  criterionOf,
  EXAMPLES,
  type Form,
  type Question,
  SUBJECTS,
  type Subject,
  subjectOf,
  writePlace,
} from './question.js';
import { isSameWord, plainName, type Term, termsOf } from './terms.js';
import { takeWritten } from './written.js';

/*
 * Reads a question from a sentence. The noun decides the subject, words such as "how many" and "per" the form; the rest
 * goes to criteria: what is written as a code, then words that mean a value, then names of places and occupations, which
 * are looked up. A word that nothing took is not understood, which the reader is told: nothing is dropped or guessed.
 */

/** A code that a name may stand for. */
export interface Found {
  readonly code: string;
  readonly label: string;
  /** Of an occupation, the one that it stands under, by which services know it. */
  readonly wider?: string;
}

/** Looks names up. */
export interface Finders {
  readonly today: string;
  readonly regions: readonly Found[];
  readonly departements: readonly Found[];
  /** For each name, the communes that have exactly it, the largest first. */
  communes(names: readonly string[]): Promise<readonly (readonly Found[])[]>;
  /** For each name, the EPCI that have exactly it. */
  epcis(names: readonly string[]): Promise<readonly (readonly Found[])[]>;
  /** For each text, the occupations that it means, best first; none rather than a wrong one. */
  occupations(texts: readonly string[]): Promise<readonly (readonly Found[])[]>;
  /** Labels of partners. */
  partners(): Promise<readonly string[]>;
  /** Whether a name is that of a town which most people know. */
  isTown(name: string): boolean;
}

/** One of the meanings of words that have several. */
export interface Meaning {
  readonly criterion: string;
  readonly value: string;
  readonly label: string;
  /** Another value that comes with it. */
  readonly wider?: string | undefined;
}

/** What a sentence means. */
export interface Reading {
  /** The subject is empty if the sentence has none. */
  readonly question: Question;
  /** Words that nothing took, as written; runs of them together. */
  readonly unknown: readonly string[];
  /** Words with several meanings, of which one must be chosen. */
  readonly choices: readonly { readonly text: string; readonly meanings: readonly Meaning[] }[];
}

/** A sentence while it is read. */
interface Text {
  readonly terms: readonly Term[];
  /** Which terms were taken. */
  readonly taken: boolean[];
  readonly criteria: Record<string, string[]>;
  readonly choices: Reading['choices'][number][];
  form: Form;
  by: string[];
  radius: number | null;
}

/** Reads a sentence; with a subject, as a question about that unless the sentence names another. */
export async function readWords(sentence: string, finders: Finders, standing = ''): Promise<Reading> {
  const criteria: Record<string, string[]> = {};
  const { rest, radius } = takeWritten(sentence.slice(0, MOST_CHARACTERS), criteria, finders.today);
  const all = termsOf(rest);
  const terms = all.slice(0, MOST_WORDS);
  const text: Text = { terms, taken: terms.map(() => false), criteria, choices: [], form: 'list', by: [], radius };
  const subject = takeSubject(text) ?? subjectOf(standing);
  takeForm(text, subject);
  takeNamedText(text, subject);
  takeValues(text, subject);
  takePeriods(text);
  takeTitles(text);
  await takePartners(text, subject, finders);
  await takeNames(text, subject, finders);
  takeImplied(text, subject);
  settlePeriods(text, subject);
  settleSingles(text, subject);
  const question = { subject: subject?.name ?? '', form: text.form, by: text.by, criteria: text.criteria };
  const beyond = all.slice(MOST_WORDS).map((term) => term.text);
  return {
    question,
    unknown: [...unknownOf(text), ...(beyond.length > 0 ? [beyond.join(' ')] : [])],
    choices: text.choices,
  };
}

/** A field takes no more. */
export const MOST_CHARACTERS = 5000;
/** Further words are told as not understood. */
const MOST_WORDS = 60;

const phrases = (list: readonly string[]): Phrase[] => list.map((words) => termsOf(words));
type Phrase = readonly Term[];

/** Where a phrase stands among the words that are left, first the longest of several; -1 if nowhere. */
function placeOf(phrase: Phrase, { terms, taken }: Text): number {
  return terms.findIndex((_, at) => isAt(phrase, at, terms) && phrase.every((_, step) => !taken[at + step]));
}

function isAt(phrase: Phrase, at: number, terms: readonly Term[]): boolean {
  return (
    phrase.length > 0 &&
    phrase.every((term, step) => {
      const other = terms[at + step];
      return other !== undefined && isSameWord(other, term);
    })
  );
}

function mark({ taken }: Text, at: number, length: number): void {
  taken.fill(true, at, at + length);
}

/** Marks each of these phrases wherever it stands, the longest first; returns whether one does. */
function markAll(text: Text, list: readonly Phrase[]): boolean {
  const before = text.taken.filter(Boolean).length;
  for (const phrase of list.toSorted((one, other) => other.length - one.length))
    for (let at = placeOf(phrase, text); at >= 0; at = placeOf(phrase, text)) mark(text, at, phrase.length);
  return text.taken.filter(Boolean).length > before;
}

/** Words of one meaning. */
interface Entry<T> {
  readonly phrase: Phrase;
  readonly means: T;
}

function entries<T>(of: readonly T[], wordsOf: (one: T) => readonly string[]): Entry<T>[] {
  return of
    .flatMap((means) => phrases(wordsOf(means)).map((phrase) => ({ phrase, means })))
    .sort((one, other) => other.phrase.length - one.phrase.length);
}

const NOUNS = entries([...SUBJECTS, ...EXAMPLES], ({ nouns }) => nouns);
/** Nouns that stand beside others: the "apprenticeship" of courses or of offers. */
const WEAK_NOUNS = entries(SUBJECTS, ({ weakNouns = [] }) => weakNouns);

/** The first noun, and of English nouns in a row the last; the longest of those that stand there. */
function firstNoun(
  nouns: readonly Entry<Subject>[],
  text: Text,
  before: readonly Phrase[],
): { readonly at: number; readonly entry: Entry<Subject> } | null {
  const nounAt = (at: number): Entry<Subject> | undefined =>
    nouns.find(({ phrase }) => !text.taken[at] && isAt(phrase, at, text.terms) && !follows(text, at, before));
  let at = text.terms.findIndex((_, index) => nounAt(index) !== undefined);
  for (let entry = nounAt(at); entry !== undefined; ) {
    const next = nounAt(at + entry.phrase.length);
    if (next === undefined) return { at, entry };
    at += entry.phrase.length;
    entry = next;
  }
  return null;
}

/** The subject of the first noun, the longest that stands there; what follows "per" is no subject. */
function takeSubject(text: Text): Subject | null {
  // "Which départements have most offers" is about offers, "which courses" about courses.
  const best =
    firstNoun(NOUNS, text, [...PER, ...WHICH]) ?? firstNoun(NOUNS, text, PER) ?? firstNoun(WEAK_NOUNS, text, PER);
  if (best === null) return null;
  const { means, phrase } = best.entry;
  // A word such as "civic service" names the subject and a value of it.
  const isStrong = VALUES.some(
    ({ means: { value }, phrase: other }) =>
      value.strong === true && other.length >= phrase.length && isAt(other, best.at, text.terms),
  );
  if (!isStrong) mark(text, best.at, phrase.length);
  takeFirst(text, best.at - 1);
  return means;
}

/** A number that begins what is asked for: "20 offers". */
function takeFirst(text: Text, at: number): void {
  const { plain = '' } = text.terms[at] ?? {};
  const begins = text.terms.slice(0, Math.max(0, at)).every((term) => SMALL.has(term.plain));
  if (!begins || !/^[1-9]\d{0,3}$/.test(plain) || text.taken[at]) return;
  mark(text, at, 1);
  add(text, 'first', plain);
}

const PER = phrases(grammar.per);
const WHICH = phrases(grammar.which);

/** Whether one of these stands before a word, perhaps with an article between. */
function follows({ terms }: Text, at: number, words: readonly Phrase[]): boolean {
  const from = /^(la|le|les|l|the|des|de|d)$/.test(terms[at - 1]?.plain ?? '') ? at - 1 : at;
  return words.some((phrase) => from >= phrase.length && isAt(phrase, from - phrase.length, terms));
}

/** The form, and the keys of counts. */
function takeForm(text: Text, subject: Subject | null): void {
  const isOverTime = phrases(grammar.months).some((phrase) => placeOf(phrase, text) >= 0);
  const counts = markAll(text, phrases(grammar.count));
  text.by = takeKeys(text, subject, counts);
  if (isOverTime && text.by.length === 0)
    text.by = (subject?.keys ?? [])
      .filter(({ name }) => /month/i.test(name))
      .slice(0, 1)
      .map(({ name }) => name);
  const maps = markAll(text, phrases(grammar.map));
  markAll(text, phrases(grammar.list));
  text.form = counts || text.by.length > 0 ? 'count' : maps ? 'map' : 'list';
}

/** One or two keys after "per", each where its words stand; after "which", if something is counted. */
function takeKeys(text: Text, subject: Subject | null, counts: boolean): string[] {
  const found: string[] = [];
  // Those of other subjects too: the question then says that it cannot be counted by them.
  const KEYS = entries(
    subject === null ? [] : [subject, ...SUBJECTS].flatMap(({ keys }) => keys),
    ({ words }) => words,
  );
  const AND = phrases(grammar.and);
  for (let at = 0; at < text.terms.length && found.length < 2; at += 1) {
    const entry = KEYS.find(
      ({ phrase }) => isAt(phrase, at, text.terms) && phrase.every((_, step) => !text.taken[at + step]),
    );
    if (entry === undefined) continue;
    const isAfterKey =
      found.length > 0 && (text.taken[at - 1] === true || follows(text, at, AND) || text.terms[at - 1]?.text === ',');
    const before = [...PER, ...(counts ? WHICH : [])];
    if (!follows(text, at, before) && !isAfterKey) continue;
    // What stands before the key, perhaps with an article between.
    for (const end of [at, at - 1])
      for (const phrase of end === at ? [...before, ...AND] : before)
        if (end >= phrase.length && isAt(phrase, end - phrase.length, text.terms))
          mark(text, end - phrase.length, phrase.length);
    mark(text, at, entry.phrase.length);
    if (!found.includes(entry.means.name)) found.push(entry.means.name);
    at += entry.phrase.length - 1;
  }
  return found;
}

/** What follows "named" or "with the word" is text. */
function takeNamedText(text: Text, subject: Subject | null): void {
  if (subject === null || !criteriaOf(subject).some(({ name }) => name === 'words')) return;
  for (const phrase of phrases(grammar.text).sort((one, other) => other.length - one.length)) {
    const at = placeOf(phrase, text);
    if (at < 0) continue;
    const from = at + phrase.length;
    const end = text.terms.findIndex(
      (term, index) => index > from && (text.taken[index] || PLACE_BEFORE.has(term.plain)),
    );
    const words = text.terms.slice(from, end < 0 ? undefined : end);
    if (words.length === 0) return;
    mark(text, at, phrase.length + words.length);
    add(text, 'words', words.map((term) => term.text).join(' '));
    return;
  }
}

const PLACE_BEFORE = new Set(['a', 'in', 'near', 'autour', 'dans', 'en', 'au', 'around']);

function add({ criteria }: Text, name: string, value: string): void {
  criteria[name] = [...new Set([...(ownValue(criteria, name) ?? []), value])];
}

const VALUES = entries(
  CRITERIA.flatMap((criterion) => (criterion.values ?? []).map((value) => ({ criterion: criterion.name, value }))),
  ({ value }) => value.words ?? [],
);

/** Values of closed lists: those of the subject first, then any other, which the subject then has not. */
function takeValues(text: Text, subject: Subject | null): void {
  const own = new Set((subject === null ? CRITERIA : criteriaOf(subject)).map(({ name }) => name));
  const takeAll = (isWanted: (criterion: string) => boolean): void => {
    for (const { phrase, means } of VALUES) {
      if (!isWanted(means.criterion)) continue;
      for (let at = placeOf(phrase, text); at >= 0; at = placeOf(phrase, text)) {
        mark(text, at, phrase.length);
        add(text, means.criterion, means.value.code);
      }
    }
  };
  takeAll((name) => own.has(name));
  if (subject === null) return;
  // What every row of the subject is, such as apprenticeship of courses, is no criterion that it lacks.
  takeImplied(text, subject);
  takeAll((name) => !own.has(name) && NAMED_ALONE.has(name));
}

/** Criteria of other subjects that a sentence may name: the question keeps them, and says that they are not taken. */
const NAMED_ALONE = new Set(['level', 'contract', 'minors', 'accessible', 'size']);

const PERIODS = entries(Object.entries(grammar.periods), ([, words]) => words);

/** Periods such as "next month"; which criterion they are of is settled later. */
function takePeriods(text: Text): void {
  for (const { phrase, means } of PERIODS) {
    const at = placeOf(phrase, text);
    if (at < 0) continue;
    mark(text, at, phrase.length);
    text.criteria['period'] ??= [means[0]];
  }
  if (text.criteria['period'] === undefined && markAll(text, phrases(grammar.created)))
    text.criteria['created'] = ['last-30-days'];
}

/** Gives a period to the criterion that the words name: a coming one is of starts, a past one of publication. */
function settlePeriods(text: Text, subject: Subject | null): void {
  const { period } = text.criteria;
  if (period === undefined) return;
  // Another may have taken the word: "posted" is near to *poste*.
  const isWritten = (word: Term): boolean => text.terms.some(({ plain }) => plain === word.plain);
  const named = CRITERIA.filter(({ kind }) => kind === 'period').find(
    ({ words = [] }) => markAll(text, phrases(words)) || words.some((one) => termsOf(one).every(isWritten)),
  );
  delete text.criteria['period'];
  const isPast = /^last|^\.\./.test(period[0] ?? '');
  const has = subject === null ? [] : criteriaOf(subject).filter(({ kind }) => kind === 'period');
  const usual = has.find(({ name }) => name === (isPast ? 'created' : 'starts')) ?? has[0];
  text.criteria[named?.name ?? usual?.name ?? 'starts'] = [...period];
}

/** Where a subject takes one number alone, such as a SIRET, the number is of the criterion for that. */
function settleSingles({ criteria }: Text, subject: Subject | null): void {
  const own = new Set(subject === null ? [] : criteriaOf(subject).map(({ name }) => name));
  for (const [name, values] of Object.entries(criteria)) {
    if (own.has(name) || !own.has(`${name}One`)) continue;
    Reflect.deleteProperty(criteria, name);
    criteria[`${name}One`] = values;
  }
}

const NOT = phrases(grammar.not);

/** Partners, and those that are left out. */
async function takePartners(text: Text, subject: Subject | null, finders: Finders): Promise<void> {
  if (subject === null || !criteriaOf(subject).some(({ name }) => name === 'partner')) return;
  for (const label of await finders.partners()) {
    const phrase = termsOf(label);
    const at = placeOf(phrase, text);
    if (at < 0) continue;
    mark(text, at, phrase.length);
    const not = NOT.find((words) => at >= words.length && isAt(words, at - words.length, text.terms));
    if (not !== undefined) mark(text, at - not.length, not.length);
    add(text, 'partner', `${not === undefined ? '' : '-'}${label}`);
    markAll(text, phrases(grammar.besidePartners));
  }
}

/** A run of words that are left. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Other names of régions, which may end with a small word: "Grand Est". */
const REGIONS = Object.values(grammar.regions).map((names) => names.map(plainName));
const SMALL = new Set(grammar.small.map((word) => termsOf(word)[0]?.plain ?? ''));
/** Whether a word says nothing of what is asked for. Y, written so, is a commune. */
const isSmall = ({ plain, text }: Term): boolean => SMALL.has(plain) && text !== 'Y';
const MOST_SPANS = 40;

function spansOf({ terms, taken }: Text): Span[] {
  const spans: Span[] = [];
  const isFree = (at: number): boolean => at < terms.length && !taken[at] && !NEAR.has(terms[at]?.plain ?? '');
  const isWord = (at: number): boolean => isFree(at) && !terms.slice(at, at + 1).some(isSmall);
  for (let length = 6; length > 0; length -= 1) {
    for (let from = 0; from + length <= terms.length; from += 1) {
      const all = Array.from({ length }, (_, step) => from + step);
      const name = all.map((at) => terms[at]?.text).join(' ');
      const ends = isWord(from + length - 1) || REGIONS.some((names) => names.includes(plainName(name)));
      if (all.every(isFree) && isWord(from) && ends) spans.push({ from, to: from + length, name });
    }
  }
  return spans.slice(0, MOST_SPANS);
}

const NEAR = new Set(grammar.nearby);

/** Words between two names: `maçon à Mâcon` is none. */
const BETWEEN = new Set(
  [...grammar.in, ...grammar.and, ...grammar.near, 'ou', 'or', 'pour', 'for', 'avec', 'with'].map(plainName),
);

/** Words that begin the names of many occupations, and are none alone. */
const GENERIC = phrases(grammar.generic);

function isOneName(name: string): boolean {
  const terms = termsOf(name);
  const isGeneric = terms.length === 1 && GENERIC.some((phrase) => isAt(phrase, 0, terms));
  // "maçon Mâcon" is a trade and a town.
  const repeats = new Set(terms.map(({ plain }) => plain)).size < terms.length;
  return !isGeneric && !repeats && !terms.some(({ plain }) => BETWEEN.has(plain) && plain !== 'en');
}

/** Names of places and occupations, the longest first. */
async function takeNames(text: Text, subject: Subject | null, finders: Finders): Promise<void> {
  takeDepartementNumbers(text, finders);
  const spans = spansOf(text);
  const names = spans.map(({ name }) => name);
  const takesOccupation = subject === null || criteriaOf(subject).some(({ name }) => name === 'occupation');
  const [communes, epcis, occupations] = await Promise.all([
    finders.communes(names),
    finders.epcis(names),
    takesOccupation ? finders.occupations(names.map((name) => (isOneName(name) ? name : ''))) : names.map(() => []),
  ]);
  for (const [index, span] of spans.entries()) {
    if (text.taken.slice(span.from, span.to).includes(true)) continue;
    const places = placesOf(span, communes[index] ?? [], epcis[index] ?? [], finders);
    takeSpan({ span, places, occupation: occupations[index]?.[0] }, text, subject, finders);
  }
  if (text.criteria['place'] !== undefined) markAll(text, phrases(grammar.nearby));
}

/** The places of a name, by kind. */
function placesOf(
  { name }: Span,
  communes: readonly Found[],
  epcis: readonly Found[],
  { regions, departements }: Finders,
) {
  const plain = plainName(name);
  const alias = Object.keys(grammar.regions)[REGIONS.findIndex((names) => names.includes(plain))];
  return {
    region: regions.find(({ code, label }) => code === alias || plainName(label) === plain),
    departement: departements.find(({ label }) => plainName(label) === plain),
    commune: communes[0],
    epci: epcis[0],
  };
}

interface SpanMeanings {
  readonly span: Span;
  readonly places: ReturnType<typeof placesOf>;
  readonly occupation: Found | undefined;
}

function takeSpan(
  { span, places, occupation }: SpanMeanings,
  text: Text,
  subject: Subject | null,
  finders: Finders,
): void {
  const before = text.terms[span.from - 1]?.plain ?? '';
  const earlier = text.terms[span.from - 2]?.plain ?? '';
  const isNear = text.radius !== null || NEAR.has(before) || NEAR.has(earlier);
  const isPlaced = isNear || /^(a|in|at|sur|dans|en|au|aux)$/.test(before);
  const isWide = /^(dans|en|du)$/.test(before) || (/^(la|le|les|l)$/.test(before) && /^(dans|de|in)$/.test(earlier));
  const { region, departement, commune, epci } = places;
  const town = commune === undefined ? null : communeMeaning(commune, isNear, text, subject);
  const takes = (kind: string): boolean => subject?.ways.some(({ place }) => place[kind] !== undefined) ?? true;
  const widest = meaningOf('departement', departement) ?? meaningOf('region', region) ?? meaningOf('epci', epci);
  // Of a département that the subject cannot be asked for, the town of the same name may be meant.
  const wide = town !== null && finders.isTown(span.name) && !takes(widest?.value.split(':')[0] ?? '') ? null : widest;
  const isKnown = finders.isTown(span.name) || /^\p{Lu}/u.test(text.terms[span.from]?.text ?? '');
  const trade =
    occupation === undefined
      ? null
      : { criterion: 'occupation', value: occupation.code, label: occupation.label, wider: occupation.wider };
  let meanings: (Meaning | null)[];
  if (wide !== null && town !== null)
    meanings =
      isNear || before === 'a' || before === 'at'
        ? [town]
        : isWide || !finders.isTown(span.name) || plainName(span.name) === 'paris'
          ? [wide]
          : [wide, town];
  else if (wide !== null) meanings = [wide];
  else if (town !== null && trade !== null) meanings = isPlaced ? [town] : [town, trade];
  else if (town !== null) meanings = isPlaced || isKnown ? [town] : [];
  else meanings = [trade];
  take(
    span,
    meanings.flatMap((one) => one ?? []),
    text,
  );
}

function meaningOf(kind: string, found: Found | undefined): Meaning | null {
  return found === undefined ? null : { criterion: 'place', value: `${kind}:${found.code}`, label: found.label };
}

function communeMeaning({ code, label }: Found, isNear: boolean, { radius }: Text, subject: Subject | null): Meaning {
  if (subject?.placeAsWords === true) return { criterion: 'words', value: label.replace(/ \(.*/, ''), label };
  const usual = isNear ? subject?.radius?.near : subject?.radius?.in;
  return { criterion: 'place', value: writePlace({ kind: 'commune', code, radius: radius ?? usual ?? null }), label };
}

function take(span: Span, meanings: readonly Meaning[], text: Text): void {
  const [only] = meanings;
  if (only === undefined) return;
  mark(text, span.from, span.to - span.from);
  if (meanings.length === 1)
    for (const value of [only.value, only.wider ?? only.value]) add(text, only.criterion, value);
  else text.choices.push({ text: span.name, meanings });
}

/** `le 93`, `(35)`, `département 2A`. */
function takeDepartementNumbers(text: Text, { departements }: Finders): void {
  for (const [at, { plain }] of text.terms.entries()) {
    const code = plain.toUpperCase();
    if (text.taken[at] || !departements.some((one) => one.code === code)) continue;
    // "50 000" and "18 ans" are numbers.
    if (['000', ...grammar.units].includes(text.terms[at + 1]?.plain ?? '')) continue;
    mark(text, at, 1);
    const before = text.terms[at - 1];
    if (before !== undefined && /^(departements?|departments?|dept?)$/.test(before.plain)) mark(text, at - 1, 1);
    add(text, 'place', `departement:${code}`);
  }
}

/** Words that are true of the subject anyway, and kinds of places beside their names. */
function takeImplied(text: Text, subject: Subject | null): void {
  markAll(text, phrases([...(subject?.implied ?? []), ...(subject?.nouns ?? [])]));
  markAll(text, phrases(text.criteria['place'] === undefined ? grammar.everywhere : grammar.kindsOfPlace));
}

const AND_WORDS = new Set(grammar.and.flatMap((words) => termsOf(words).map(({ plain }) => plain)));
const IDS = phrases(grammar.besideNumbers);

/** What the criteria that were taken are called: "level" beside "bac". */
function takeTitles(text: Text): void {
  for (const name of Object.keys(text.criteria)) {
    const keys = SUBJECTS.flatMap((subject) => subject.keys.find((key) => key.name === name)?.words ?? []);
    const { title = null, words = [] } = criterionOf(name) ?? {};
    markAll(text, phrases([...keys, ...Object.values(title ?? {}), ...words]));
  }
}

/** What is left, but for words that only hold a sentence together. */
function unknownOf(text: Text): string[] {
  const { terms, criteria } = text;
  const hasIds = ['siret', 'rna', 'occupation', 'rncp'].some((name) => Object.hasOwn(criteria, name));
  if (hasIds) markAll(text, IDS);
  takeTitles(text);
  const runs: string[][] = text.radius !== null && criteria['place'] === undefined ? [[`${text.radius} km`]] : [];
  let isRun = false;
  for (const [at, term] of terms.entries()) {
    const isLeft = !text.taken[at] && !isSmall(term) && !AND_WORDS.has(term.plain);
    if (isLeft && isRun) runs.at(-1)?.push(term.text);
    else if (isLeft) runs.push([term.text]);
    isRun = isLeft;
  }
  return runs.map((run) => run.join(' '));
}
