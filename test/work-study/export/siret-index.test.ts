import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, SiretIndex } from '../../../subgraphs/work-study/export/siret-index.js';

const siret = fc.constantFrom('00000000000001', '73282932000074', '99999999999999', '35600000000048');
const range = fc.record({
  start: fc.integer({ min: 0, max: 2 ** 40 }),
  length: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

describe('the SIRET index', () => {
  it('gives the rows of a SIRET in the order in which they were added, as a list would', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(siret, range), { maxLength: 50 }), (rows) => {
        const index = new SiretIndex();
        const lists = new Map<string, ByteRange[]>();
        for (const [siret, range] of rows) {
          index.add(Number(siret), range);
          lists.set(siret, [...(lists.get(siret) ?? []), range]);
        }
        for (const [siret, list] of lists) expect(index.rangesOf(siret)).toEqual(list);
        expect(index.size).toBe(rows.length);
        expect(index.siretCount).toBe(lists.size);
      }),
      { seed: 1 },
    );
  });

  it('grows without losing a row', () => {
    const index = new SiretIndex();
    for (let row = 0; row < 5_000; row++) index.add(row % 50, { start: row, length: 1 });
    expect(index.rangesOf('00000000000007').map(({ start }) => start)).toEqual(
      Array.from({ length: 100 }, (_, turn) => turn * 50 + 7),
    );
    expect(index.rows().starts).toHaveLength(5_000);
  });

  it('knows nothing of a SIRET that was not added', () => {
    const index = new SiretIndex();
    expect(index.rangesOf('73282932000074')).toEqual([]);
    index.add(73282932000074, { start: 0, length: 10 });
    expect(index.rangesOf('73282932000082')).toEqual([]);
    expect(index.rangesOf('')).toEqual([]);
  });
});
