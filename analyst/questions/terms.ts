import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as frenchStem } from '@orama/stemmers/french';
import { fold } from '../../kernel/fold.js';

/** A word of a text. */
export interface Term {
  /** As written. */
  readonly text: string;
  /** Without case and accents. */
  readonly plain: string;
  /** What it is compared by: itself and its stem in each language. */
  readonly stems: readonly string[];
}

/** The words of a text in order, elisions such as `d’` apart. */
export function termsOf(text: string): Term[] {
  return (text.match(/[\p{L}\p{N}]+(?:\+\d+)?|[€%]/gu) ?? []).map((word) => {
    const plain = fold(word);
    return { text: word, plain, stems: [...new Set([plain, frenchStem(plain), englishStem(plain)])] };
  });
}

/** Letters that words must share, and how much longer one may be: stems alone take `Paris` for `paru`. */
const SHARED = 4;
const LONGER = 3;
/** Letters of words that are only compared whole, or with an `s`. */
const SHORT = 3;

/** Whether two words are the same but for their endings. */
function areAlike(one: Term, other: Term): boolean {
  return (
    one.plain.slice(0, SHARED) === other.plain.slice(0, SHARED) &&
    Math.abs(one.plain.length - other.plain.length) <= LONGER &&
    one.stems.some((stem) => other.stems.includes(stem))
  );
}

/** Whether two words are the same: short ones exactly, others but for their endings. */
export function isSameWord(one: Term, other: Term): boolean {
  if (one.plain === other.plain || one.plain === `${other.plain}s`) return true;
  return other.plain.length > SHORT && areAlike(one, other);
}

/** A name as it is compared: `St Denis` is `Saint-Denis`, whatever the case, accents, articles, spaces and hyphens. */
export function plainName(name: string): string {
  return fold(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/\bst(e?)\b/g, 'saint$1')
    .trim()
    .replace(/^(?:l|la|le|les) (?=.)/, '');
}
