import MiniSearch, { type Options, type SearchOptions } from 'minisearch';
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

/** A name in the index. */
interface IndexedName {
  readonly occupation: Occupation;
  readonly name: string;
  /** How many words it is found by. */
  readonly words: number;
  /** Those that say what somebody is. */
  readonly nouns: readonly string[];
}

/** A name as it is indexed: its words in the masculine singular, each once. */
interface Document {
  readonly id: number;
  readonly words: string;
}

/** The names of all occupations, for searching. */
export interface OccupationIndex {
  readonly words: MiniSearch<Document>;
  /** By their ids in the index. */
  readonly names: readonly IndexedName[];
  /** All words of all names. */
  readonly known: ReadonlySet<string>;
}

let names: Awaitable<OccupationIndex> | undefined;

/** The names of all occupations. Indexed once, in turns of the event loop. */
export function occupationNames(): Awaitable<OccupationIndex> {
  names ??= whenThere(stepsInTurns(buildInSteps()), (built) => {
    names = built;
    return built;
  });
  return names;
}

/** Names are split by `keysOf` before they are indexed. */
const OPTIONS: Options<Document> = {
  fields: ['words'],
  tokenize: (text) => text.split(' '),
  processTerm: (word) => word,
};

function* buildInSteps(): Generator<undefined, OccupationIndex> {
  const names: IndexedName[] = [];
  const words = new MiniSearch(OPTIONS);
  const known = new Set<string>();
  for (const occupation of OCCUPATIONS) {
    for (const name of occupation.names) {
      const keys = keysOf(name);
      for (const key of keys) known.add(key);
      words.add({ id: names.length, words: keys.join(' ') });
      names.push({ occupation, name, words: keys.length, nouns: keysOf(nounOf(name)) });
    }
    yield;
  }
  return { words, names, known };
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

/** How words may differ from those of a name, the surest first: each is tried only where those before find nothing. */
function triesOf({ known }: OccupationIndex): readonly SearchOptions[] {
  return [
    { prefix: (word, place, words) => place === words.length - 1 && word.length > 2 },
    { prefix: (word) => word.length > 2 },
    // What some name has is no typing error.
    { fuzzy: (word) => (word.length < 6 || known.has(word) ? false : 1) },
  ];
}

/** What matches of an occupation: its best name, how much of that was typed, and how many of its names match. */
interface Candidate {
  readonly name: IndexedName;
  readonly share: number;
  count: number;
}

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
  for (const how of keys.length === 0 ? [] : triesOf(index)) {
    const found = candidates(index, keys, { ...how, combineWith: 'AND' }, wordsOf(text));
    if (found.size === 0) continue;
    const ranked = [...found].sort(([, one], [, other]) => other.share - one.share || other.count - one.count);
    return ranked.slice(0, limit).map(([occupation, { name }]) => ({ ...occupation, matchedName: name.name }));
  }
  return [];
}

function candidates(
  { words: index, names }: OccupationIndex,
  keys: readonly string[],
  how: SearchOptions,
  written: readonly string[],
): Map<Occupation, Candidate> {
  const found = new Map<Occupation, Candidate>();
  const changed = written.filter((word) => masculine(word) !== word);
  for (const { id, terms } of index.search(keys.join(' '), how)) {
    const name = names[id] as IndexedName;
    const own = keys.length === 1 ? terms.filter((term) => name.nouns.includes(term)) : terms;
    if (own.length === 0) continue;
    const isWhole = keys.every((key) => own.includes(key));
    if (how.prefix && !isWhole && !areBegun(changed, keys.length === 1 ? nounOf(name.name) : name.name)) continue;
    // A word that is there as a whole is worth more than any beginning.
    const share = keys.length / name.words + Number(isWhole);
    const known = found.get(name.occupation);
    const count = (known?.count ?? 0) + 1;
    if (known === undefined || share > known.share) found.set(name.occupation, { name, share, count });
    else known.count = count;
  }
  return found;
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
