import { describe, expect, test } from 'vitest';
import { fold, isIn, searched, wordsSought, wordsToFind } from '../../kernel/fold.js';
import { testOf } from '../../rows/row-choice.js';
import { OTHER_TITLES, PARTNERS_TITLES } from '../titles.js';

/** Whether words find a text as in the export: the last may be the beginning of one, unless it ends with a sign. */
function findsByWords(text: string, typed: string): boolean {
  const words = wordsToFind(text).split(/[^\p{L}\p{N}+#]+/u);
  const sought = wordsSought(typed);
  return sought.every((forms, place) =>
    forms.some((form) =>
      place === sought.length - 1 && !/[+#]$/.test(form)
        ? words.some((word) => word.startsWith(form))
        : words.includes(form),
    ),
  );
}

describe('A title that a partner wrote', () => {
  test('is found by what a reader types, by words and by `has`, in each of more than 300', () => {
    expect(PARTNERS_TITLES.length).toBeGreaterThan(300);
    const missed = PARTNERS_TITLES.flatMap(({ written, typed }) =>
      typed.flatMap((text) => [
        ...(findsByWords(written, text) ? [] : [`words: ${text} in ${written}`]),
        ...(isIn(text)(searched(written)) ? [] : [`has: ${text} in ${written}`]),
      ]),
    );
    expect(missed).toEqual([]);
  });

  test.each(OTHER_TITLES)('$written is found by what it says, and by nothing else', ({ written, typed, other }) => {
    expect(typed.filter((text) => !findsByWords(written, text))).toEqual([]);
    expect(other.filter((text) => findsByWords(written, text))).toEqual([]);
  });

  test('is found by a condition of a link on a column', () => {
    const has = (value: string) => testOf({ operator: 'has', value });
    expect(has('apprentie')('Apprenti·e boulanger')).toBe(true);
    expect(has('apprenti boulanger')('Apprenti(e) boulanger')).toBe(true);
    expect(has('apprenti(e) boul')('Apprentie boulangère')).toBe(true);
    expect(has('r&d')('R&amp;D')).toBe(true);
    expect(has('boulangerie')('Apprenti·e boulanger')).toBe(false);
  });
});

test('A folded text folds to itself, and lines stay apart', () => {
  for (const { written } of [...PARTNERS_TITLES, ...OTHER_TITLES]) expect(fold(fold(written))).toBe(fold(written));
  expect(fold('Œuvre\nÀ  côté')).toBe('oeuvre\na cote');
});
