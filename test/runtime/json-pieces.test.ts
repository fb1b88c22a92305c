import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPieces, measureJson } from '../../runtime/event-loop/json.js';

async function written(value: unknown): Promise<string> {
  return Buffer.concat(await jsonPieces(value)).toString();
}

describe('JSON in pieces', () => {
  it('JSON in pieces is the text that JSON.stringify writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        expect(await written(value)).toBe(JSON.stringify(value));
      }),
    );
    const value = { left: undefined, out: [undefined, Number.NaN, -0], text: '\ud800 \u2028 é' };
    expect(await written(value)).toBe(JSON.stringify(value));
  });

  it('JSON in pieces comes in many pieces where it is long', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'é'.repeat(50) }));
    const sizes = (await jsonPieces(rows)).map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(200_000);
    expect(await written(rows)).toBe(JSON.stringify(rows));
  });

  it('JSON in pieces comes in many pieces of one long text, each with whole characters', async () => {
    for (const value of [`x${'𝄞'.repeat(50_000)}`, { a: 1, text: '𝄞"é\n\ud800'.repeat(50_000), b: null }]) {
      const pieces = await jsonPieces(value);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(400_000);
      expect(Buffer.concat(pieces).toString() === JSON.stringify(value)).toBe(true);
    }
  });

  it('JSON in pieces weighs no more than its text and, but for what escapes add, no less', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4, noUnicodeString: true }), async (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(await measureJson(value, 1_000_000)).toBeLessThanOrEqual(bytes + commasOf(value));
      }),
    );
    const plain = { a: ['x', 1, null, true], b: { c: 'é' } };
    const weight = await measureJson(plain, 1_000);
    expect(Math.abs(weight - Buffer.byteLength(JSON.stringify(plain)))).toBeLessThanOrEqual(commasOf(plain));
  });

  it('JSON in pieces is given up where it weighs too much', async () => {
    const shared = 'x'.repeat(1_000);
    const weight = await measureJson(
      Array.from({ length: 100_000 }, () => shared),
      10_000,
    );
    expect(weight).toBeGreaterThan(10_000);
    expect(weight).toBeLessThan(150_000);
  });
});

/** The number of lists and objects, in each of which the last value has no comma. */
function commasOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + commasOf(inner), 1);
}
