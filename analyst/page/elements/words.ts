import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as frenchStem } from '@orama/stemmers/french';
import MiniSearch, { type Options } from 'minisearch';
import { fold } from '../../../kernel/fold.js';

/*
 * Words as a search compares them: without case, accents and endings, in both languages. MiniSearch ranks (BM25+, with
 * prefixes and misspellings, 6 kB); it was chosen over Fuse.js (9 kB, no words), lunr with lunr-languages (13 kB, not
 * maintained), FlexSearch (17 kB) and Orama (22 kB), whose Snowball stemmers it uses, because no smaller one ranks by
 * words that we may stem.
 */

/** Words that say nothing about what is looked for, in both languages. */
const SMALL = new Set(
  (
    'a about all and any are around at be by can do for from get give has have help how i in is it list me my near of on or our ' +
    'show than that the their there these to we what when where which who with within ' +
    'ai aide aider ainsi au aux avec avoir ce ces chez combien comment d dans de des du elle en est et etre eux faire france il ils j je l la ' +
    'le les leur leurs lui ma mes moi moins mon n ne nos notre on ont ou par pas peut plus pour pres proche qu quand que quel ' +
    'quelle quelles quels qui s sa sans se ses si son sont sous sur ta tes ton tous tout toute toutes trouver un une vers y'
  ).split(' '),
);

/** The words of a text, as written, with elisions such as `d’` separated. */
export function termsOf(text: string): string[] {
  return text.split(/[^\p{L}\d+]+/u).filter(Boolean);
}

/** Whether a word says nothing about what is looked for. */
export function isSmall(term: string): boolean {
  return SMALL.has(fold(term));
}

/** The stems of a word in each language; none for one that says nothing. */
export function stemsOf(term: string): string[] {
  const folded = fold(term);
  return SMALL.has(folded) ? [] : [...new Set([frenchStem(folded), englishStem(folded)])];
}

/** Misspelt letters as a share of a word; none in short ones, which would be another word. */
const misspelt = (term: string): number | false => (term.length > 4 ? 0.2 : false);

/** An index of texts by their stems. */
export function indexOf<T>(documents: readonly T[], options: Pick<Options<T>, 'fields' | 'idField' | 'extractField'>) {
  const index = new MiniSearch<T>({
    ...options,
    tokenize: termsOf,
    processTerm: stemsOf,
    searchOptions: { prefix: (term) => term.length > 2, fuzzy: misspelt, weights: { prefix: 0.5, fuzzy: 0.2 } },
  });
  index.addAll(documents);
  return index;
}
