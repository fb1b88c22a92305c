import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { masculine, wordsOf } from '../../../kernel/fold.js';
import { stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { OCCUPATIONS, type Occupation, occupationByCode } from '../../codes/occupations.js';
import { isRomeCode } from '../../codes/registers.js';

/** An occupation by its code, and the official name by which it was found, if it was. */
export interface NamedOccupation extends Pick<Occupation, 'code' | 'label' | 'parent'> {
  readonly matchedName?: string;
}

/** The occupation of a code; one that is newer than the table shows itself. */
export function namedOccupation(code: string): NamedOccupation {
  return occupationByCode(code) ?? { code, label: code, parent: code };
}

/** An occupation in the index. */
interface IndexedOccupation {
  readonly occupation: Occupation;
  /** A line for each name: the words by which it is found, those first that say what somebody is, and ` | ` behind them. */
  readonly lines: string;
}

/** All occupations by the words of their names. */
export type OccupationIndex = readonly IndexedOccupation[];

let index: Awaitable<OccupationIndex> | undefined;

/** The names of all occupations. Their words are read once, in turns of the event loop. */
export function occupationNames(): Awaitable<OccupationIndex> {
  index ??= whenThere(stepsInTurns(buildInSteps()), (built) => {
    index = built;
    return built;
  });
  return index;
}

function* buildInSteps(): Generator<undefined, OccupationIndex> {
  const built: IndexedOccupation[] = [];
  for (const occupation of OCCUPATIONS) {
    built.push({ occupation, lines: occupation.names.map(lineOf).join('\n') });
    yield;
  }
  return built;
}

function lineOf(name: string): string {
  const nouns = keysOf(nounOf(name));
  return ['', ...nouns, '|', ...keysOf(name).filter((key) => !nouns.includes(key)), ''].join(' ');
}

/** Articles and prepositions, and what is said of every offer: none tells occupations apart. */
const SILENT = new Set(
  'a au aux avec chez d dans de des du en et l la le les ou par pour sur un une h f hf fh alternance alternant alternante apprentissage apprenti apprentie contrat emploi job metier offre poste stage cdd cdi'
    .split(' ')
    .map(masculine),
);

/** The words of a text as they are written, without those that are silent. */
export function tellingWords(text: string): string[] {
  return wordsOf(text).filter((word) => !SILENT.has(masculine(word)));
}

/** The words by which a name is found, each once: in the masculine singular, without those that are silent. */
function keysOf(text: string): string[] {
  return [...new Set(tellingWords(text).map(masculine))];
}

/** Tests whether a word is in a line, or in one of several. */
type Test = (lines: string) => boolean;

/** First without blanks, which are everywhere: that takes a third of the time. */
const has = (key: string, written: string): Test => {
  return (lines) => lines.includes(key) && lines.includes(written);
};
const whole = (key: string) => has(key, ` ${key} `);
/** The word, and from three letters on all that begin with it. */
const begun = (key: string) => (key.length > 2 ? has(key, ` ${key}`) : whole(key));

/** The longest word of all names has 20 letters. */
const LONGEST = 25;

/** The longer words with a letter too many, too few, or another. What some name has is no typing error. */
function misspelt(key: string, index: OccupationIndex): Test {
  if (key.length < 6 || key.length > LONGEST || index.some(({ lines }) => whole(key)(lines))) return whole(key);
  const errors = Array.from({ length: key.length + 1 }, (_, at) => {
    const [before, letter, behind] = [key.slice(0, at), key.charAt(at), key.slice(at + 1)].map(escaped);
    return `${before}[^ ]?(?:${letter})?${behind}`;
  });
  const pattern = new RegExp(` (?:${errors.join('|')}) `);
  return (lines) => pattern.test(lines);
}

/** As in `c++`: no other sign of expressions is in a word. */
const escaped = (part: string) => part.replaceAll('+', '\\+');

/** How words may differ from those of a name, the surest first: each is tried only where those before find nothing. */
const TRIES: readonly ((key: string, index: OccupationIndex, isLast: boolean) => Test)[] = [
  (key, _index, isLast) => (isLast ? begun(key) : whole(key)),
  begun,
  misspelt,
];

/**
 * The occupations that a text may name, at most `limit`: all of its words are in one official name, in either gender and
 * number, the last as the beginning of a word from three letters on; else all are beginnings; else the longer ones have a
 * typing error. A single word must say what somebody is: `cuisine` names nobody. Those come first of which most of a name
 * was typed, then those of which most names match. A code finds itself.
 */
export function findOccupations(index: OccupationIndex, text: string, limit: number): NamedOccupation[] {
  const code = text.trim().toUpperCase();
  if (isRomeCode(code)) return [namedOccupation(code)];
  const keys = keysOf(text);
  const changed = wordsOf(text).filter((word) => masculine(word) !== word);
  for (const testOf of keys.length === 0 ? [] : TRIES) {
    const tests = keys.map((key, at) => testOf(key, index, at === keys.length - 1));
    const isBegun = (name: string) => testOf === misspelt || areBegun(changed, keys.length === 1 ? nounOf(name) : name);
    const found = index.flatMap((one) => candidateOf(one, keys, tests, isBegun) ?? []);
    if (found.length === 0) continue;
    const ranked = found.sort((one, other) => other.share - one.share || other.count - one.count);
    return ranked.slice(0, limit).map(({ occupation, matchedName }) => ({ ...occupation, matchedName }));
  }
  return [];
}

/** An occupation with its best name, how much of that was typed, and how many of its names match; null if none does. */
function candidateOf(
  { occupation, lines }: IndexedOccupation,
  keys: readonly string[],
  tests: readonly Test[],
  isBegun: (name: string) => boolean,
) {
  const match: Test = (words) => tests.every((test) => test(words));
  if (!match(lines)) return null;
  const matching = lines.split('\n').flatMap((line, at) => {
    const own = keys.length === 1 ? line.slice(0, line.indexOf('|')) : line;
    const name = occupation.names[at] ?? '';
    const isWhole = keys.every((key) => whole(key)(own));
    if (!match(own) || (!isWhole && !isBegun(name))) return [];
    // A word that is there as a whole is worth more than any beginning.
    return { matchedName: name, share: keys.length / (line.split(' ').length - 3) + Number(isWhole) };
  });
  const share = Math.max(...matching.map((one) => one.share));
  const best = matching.find((one) => one.share === share);
  return best === undefined ? null : { ...best, occupation, count: matching.length };
}

/** What follows the noun of a name. */
const COMPLEMENT = /(?<= )(?:d'|(?:à|au|aux|chez|dans|de|des|du|en|par|pour|sur) ).*|\(.*/;

/**
 * The part of a name that says what somebody is: what comes in both genders, as in `Jardinier paysagiste / Jardinière
 * paysagiste`, but not what that is a complement of; else the first word.
 */
function nounOf(name: string): string {
  const [masculineForm = '', feminineForm] = name.split(' / ');
  if (feminineForm === undefined) return name.replace(/ .*/, '');
  const noun = masculineForm.replace(COMPLEMENT, '').trim();
  return `${noun} ${feminineForm.split(' ').slice(0, noun.split(' ').length).join(' ')}`;
}

/** Whether words, where a name has no other form of them, begin some of its own as they are written: `guitare` is not `guitariste`. */
function areBegun(written: readonly string[], name: string): boolean {
  if (written.length === 0) return true;
  const words = wordsOf(name);
  const keys = new Set(words.map(masculine));
  return written.every((word) => {
    const key = masculine(word);
    return SILENT.has(key) || keys.has(key) || words.some((one) => one.startsWith(word));
  });
}
