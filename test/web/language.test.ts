import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { COUNT_TEXTS } from '../../analyst/page/counts/counts-view.js';
import { formatBytes, formatDuration, formatMs, formatNumber } from '../../analyst/page/elements/format.js';
import { formatCell } from '../../analyst/page/labels/labels.js';
import { EXTENT_TEXTS } from '../../analyst/page/lists/texts.js';
import { MAP_TEXTS } from '../../analyst/page/map/texts.js';
import { PAGING_TEXTS } from '../../analyst/page/paging/follow-pages.js';
import { PRICE_TEXTS } from '../../analyst/page/results/price-line.js';
import { TRACE_TEXTS } from '../../analyst/page/results/trace-view.js';
import {
  countInEnglish,
  countInFrench,
  defineTexts,
  language,
  type Texts,
  textsNow,
} from '../../analyst/page/state/language.js';
import { TABLE_TEXTS } from '../../analyst/page/table/texts.js';
import { leaves } from './support.js';

const page = new URL('../../analyst/page/', import.meta.url);
const files = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && / \w+_TEXTS = defineTexts/.test(readFileSync(new URL(file, page), 'utf8')),
);
const modules = await Promise.all(files.map((file): Promise<Record<string, unknown>> => import(`${page}${file}`)));
const catalogues = modules
  .flatMap((module) => Object.entries(module))
  .filter((entry): entry is [string, Texts<unknown>] => entry[0].endsWith('_TEXTS'));

/** Words that are the same in both languages. */
const SAME = new Set([
  ...['CSV', 'Excel', 'GeoJSON', 'JSON', 'Trace', 'km', 'Commune', 'Département'],
  ...['certification', 'certifications', 'commune', 'communes', 'mission', 'missions'],
  ...['mission locale', 'missions locales', 'Questions', 'Latitude', 'Longitude', 'Sources', 'Code'],
]);

describe('The texts of the page', () => {
  afterEach(() => language.set('en'));

  test('are complete in French: a text that is missing or left over fails types', () => {
    // @ts-expect-error: French lacks `b`.
    defineTexts({ en: { a: 'x', b: 'y' }, fr: { a: 'z' } });
    // @ts-expect-error: English has no `b`.
    defineTexts({ en: { a: 'x' }, fr: { a: 'y', b: 'z' } });
    expect(catalogues.length).toBeGreaterThan(15);
  });

  test.each(catalogues)('of %s are translated', (_name, { en, fr }) => {
    const english = leaves(en);
    const french = leaves(fr);
    expect(Object.keys(french)).toEqual(Object.keys(english));
    const untranslated = Object.entries(english).filter(([key, text]) => french[key] === text && !SAME.has(text));
    expect(untranslated).toEqual([]);
  });

  test('count as the language does', () => {
    expect([0, 1, 2, 1902].map((count) => countInEnglish(count, 'row'))).toEqual([
      '0 rows',
      '1 row',
      '2 rows',
      '1,902 rows',
    ]);
    expect([0, 1, 2, 1902].map((count) => countInFrench(count, 'ligne'))).toEqual([
      '0 ligne',
      '1 ligne',
      '2 lignes',
      '1\u202f902 lignes',
    ]);
  });

  test('count what is left out, and places, as the language does', () => {
    language.set('fr');
    const [table, trace, map] = [textsNow(TABLE_TEXTS), textsNow(TRACE_TEXTS), textsNow(MAP_TEXTS)];
    expect([1, 1902].map(table.furtherValues)).toEqual([
      '1 autre\u202f: cherchez-la par une partie',
      '1\u202f902 autres\u202f: cherchez-les par une partie',
    ]);
    expect([1, 2].map(trace.omitted)).toEqual([
      '1 autre appel compté, non listé.',
      '2 autres appels comptés, non listés.',
    ]);
    expect(map.place(2, 20_009)).toBe('2 sur 20\u202f009');
    expect(textsNow(COUNT_TEXTS).groups(1, 1902)).toBe('1 groupe de 1\u202f902 lignes');
    language.set('en');
    expect(textsNow(MAP_TEXTS).place(2, 20_009)).toBe('2 of 20,009');
    expect(textsNow(TABLE_TEXTS).furtherValues(1)).toBe('1 more: type a part of it to find it');
  });

  test('have in French the spaces that are printed there, in the price, beside a list cut off, and of pages', () => {
    language.set('fr');
    const [price, extent, paging] = [textsNow(PRICE_TEXTS), textsNow(EXTENT_TEXTS), textsNow(PAGING_TEXTS)];
    expect([price.calls(1902), price.none].join(price.and)).toBe(
      '1\u202f902 appels\u202f; Aucun appel, tout est en cache',
    );
    expect(extent.after(12_345, 12_345, extent.reason({ kind: 'truncated' }, '') ?? '')).toMatch(
      /^coupé après 12\u202f345 lignes\u202f: la liste est tronquée\u202f: sa/,
    );
    expect(extent.after(12_345, 0, 'x')).toBe('coupé après 12\u202f345 lignes, dont 0 dans ce fichier\u202f: x');
    expect(paging.allGiven(paging.rows(5000))).toMatch(/^5\u202f000 lignes\u202f: tout/);
    language.set('en');
    expect(textsNow(PRICE_TEXTS).none).toBe('No calls, everything is cached');
  });

  test('write a small number with the digits that it has, and no rounding noise', () => {
    const written = (cell: number, column = 'rate') => formatCell(cell, column);
    expect([0, 2.5, 1 / 3, 0.1 + 0.2].map((cell) => written(cell))).toEqual(['0', '2.5', '0.333', '0.3']);
    expect([0.0004, -0.000_012_345, 1.5e-7].map((cell) => written(cell))).toEqual(['0.0004', '-0.0000123', '1.5E-7']);
    expect([written(0.000_001, 'lat'), written(0.01, 'edge.distance')]).toEqual(['0.000001', '0 km']);
  });

  test('write numbers and units as the language does', () => {
    const all = () => [formatNumber(1.6, 1), formatBytes(1536), formatMs(12_345), formatDuration(200_000)];
    expect(all()).toEqual(['1.6', '1.5 kB', '12.3 s', '2 days']);
    language.set('fr');
    expect(all()).toEqual(['1,6', '1,5 ko', '12,3 s', '2 jours']);
    expect(textsNow(defineTexts({ en: 'yes', fr: 'oui' }))).toBe('oui');
  });
});
