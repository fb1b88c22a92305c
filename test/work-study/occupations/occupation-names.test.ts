import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { OCCUPATIONS } from '../../../subgraphs/codes/occupations.js';
import {
  findOccupations,
  type OccupationIndex,
  occupationNames,
} from '../../../subgraphs/work-study/occupations/occupation-names.js';

/**
 * Phrases as people write them, each with the codes that are right by the official table; words that are no occupation, nor
 * the beginning of a longer word in an official name. Written without regard to how names are found.
 */
const { phrases, noOccupations } = JSON.parse(readFileSync(new URL('phrases.json', import.meta.url), 'utf8')) as {
  phrases: [phrase: string, codes: string[]][];
  noOccupations: string[];
};

describe('Occupations by name', () => {
  let index: OccupationIndex;
  beforeAll(async () => {
    index = await occupationNames();
  });
  const codesOf = (text: string, limit = 3) => findOccupations(index, text, limit).map(({ code }) => code);

  test('have the right code among the first three for 300 names of the table, in either gender', () => {
    const names = OCCUPATIONS.flatMap(({ code, names }) => names.map((name) => ({ code, name })));
    const step = Math.floor(names.length / 300);
    const drawn = names.filter((_, at) => at % step === 7).slice(0, 300);
    const asked = drawn.map(({ code, name }, at) => {
      const [masculine = '', feminine = masculine] = name.split(' / ');
      return { code, text: (at % 2 === 0 ? name : feminine).toUpperCase() };
    });
    const missed = asked.filter(({ code, text }) => !codesOf(text).includes(code));
    expect(asked).toHaveLength(300);
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(15);
  });

  test('have the right code among the first three for 100 phrases as people write them', () => {
    const missed = phrases.filter(([phrase, codes]) => !codesOf(phrase).some((code) => codes.includes(code)));
    expect(phrases).toHaveLength(100);
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(15);
  });

  test('are none for 100 words that are no occupation', () => {
    const found = noOccupations.filter((word) => codesOf(word).length > 0);
    expect(noOccupations).toHaveLength(100);
    expect(found.length, JSON.stringify(found)).toBeLessThanOrEqual(3);
  });

  test.each([
    ['a typing error', 'boulangre', 'D1102'],
    ['a feminine plural without accents', 'COIFFEUSES', 'D1202'],
    ['the beginning of the last word', 'aide soig', 'J1501'],
    ['an inclusive form', 'vendeur·se en prêt-à-porter', 'D1214'],
    ['words of every offer', 'apprenti boulanger H/F en alternance', 'D1102'],
    ['a code', ' m1855 ', 'M1855'],
    ['a code that is newer than the table', 'M1999', 'M1999'],
  ])('are found by %s', (_case, text, code) => {
    expect(codesOf(text)).toContain(code);
  });

  test.each(['', 'de', 'marmotte', 'boulanger sur la lune', 'cuisine', 'boulang erie-x', '🥖'])(
    'are none for %j',
    (text) => {
      expect(codesOf(text)).toEqual([]);
    },
  );
});
