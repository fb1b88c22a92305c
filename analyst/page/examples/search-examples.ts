import { fold } from '../../../rows/cells.js';
import type { Example } from '../../read-example.js';

/** Examples that match the words of a search, and what is left of it. */
export interface ExampleSearch {
  readonly found: readonly Example[];
  /** Words that no example has: perhaps the name of a place, or a code. */
  readonly rest: string;
}

/** Words that say nothing about what is looked for, in both languages. */
const SMALL = new Set(
  'a about all and around at au aux avec by d dans de des du en et for from how in l la le les near of on ou par pour pres sur the to un une with'.split(
    ' ',
  ),
);

/** The examples that have, in title, group or further words, a word beginning with each known word of a text. */
export function searchExamples(examples: readonly Example[], text: string): ExampleSearch {
  const terms = termsOf(text).filter((term) => !SMALL.has(fold(term)));
  const indexed = examples.map((example) => ({ example, words: wordsOf(example) }));
  const fits = (words: readonly string[], term: string): boolean => words.some((word) => word.startsWith(fold(term)));
  const known = terms.filter((term) => indexed.some(({ words }) => fits(words, term)));
  const found = indexed.filter(({ words }) => known.every((term) => fits(words, term))).map(({ example }) => example);
  return { found, rest: terms.filter((term) => !known.includes(term)).join(' ') };
}

/** The words of a text, with elisions such as `d'` separated. */
export function termsOf(text: string): string[] {
  return text.split(/[\s,;:?!'’]+/).filter(Boolean);
}

function wordsOf({ title, words, group }: Example): string[] {
  return fold(`${title.en} ${title.fr} ${words} ${group}`).split(/[^\p{L}\d]+/u);
}
