import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../runtime/event-loop/json.js';
import { runs } from '../../runs.js';

/** Blanks that make a text so long that a thread parses it. */
const BLANKS = ' '.repeat(512 * 1024 + 1);

const read = (text: string) => readJson(Buffer.from(text + BLANKS));

describe('A large JSON text', () => {
  it('is read to what JSON.parse makes of it, wherever its longest list is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
        const text = JSON.stringify(value);
        expect(await read(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(100) },
    );
  });

  it.each([
    ['names with a meaning of their own', '{"__proto__": {"a": [1, 2, 3]}, "constructor": 1, "b": "c"}'],
    ['nothing in lists and objects', '[[], {}, [ ], { }, [[]], [{}]]'],
    ['a byte order mark', '\uFEFF[1, 2, 3]'],
    ['text of many bytes', '["é\u{1f600}", {"é\u{1f600}": "\u2028"}]'],
  ])('with %s', async (_what, text) => {
    expect(await read(text)).toEqual(JSON.parse(text.replace('\uFEFF', '')));
  });

  it('is nothing where it is no JSON, nests too deep, or has characters that its charset does not have', async () => {
    for (const text of ['', '[1, 2', '[1,, 2]', '{"a" 1}', `${'['.repeat(300)}${']'.repeat(300)}`])
      expect(await read(text), text).toBeUndefined();
    expect(
      await readJson(Buffer.concat([Buffer.from('["\x81"]', 'latin1'), Buffer.from(BLANKS)]), 'shift_jis'),
    ).toBeUndefined();
  });

  it.for([
    ['numbers', (count: number) => `[${'1,'.repeat(count)}1]`],
    ['lists in lists', (count: number) => `[[${'[[]],'.repeat(count / 3)}[]],1]`],
  ] as const)('has at most a million values: %s', async ([, write]) => {
    expect(await read(write(999_900))).toBeDefined();
    expect(await read(write(1_000_200))).toBeUndefined();
  });

  it('is read while the event loop turns', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'é'.repeat(200), tags: ['a', 'b'] }));
    const text = Buffer.from(JSON.stringify({ data: rows }));
    let loops = 0;
    const count = () => {
      loops += 1;
      counter = setImmediate(count);
    };
    let counter = setImmediate(count);
    expect(await readJson(text)).toEqual({ data: rows });
    clearImmediate(counter);
    expect(loops).toBeGreaterThan(10);
  });
});
