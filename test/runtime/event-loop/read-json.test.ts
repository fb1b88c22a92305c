import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShallowJson } from '../../../kernel/text.js';
import { readJson } from '../../../runtime/event-loop/json.js';
import { IS_LONG, runs } from '../../runs.js';

/** Piece sizes so small that every list and object of a test is read in several pieces. */
const PIECES = [2, 7, 40];

async function read(text: string, pieceBytes: number): Promise<unknown> {
  return readJson(Buffer.from(text), pieceBytes);
}

describe('A long JSON text', () => {
  it('A long JSON text is read to what JSON.parse makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 5 }),
        fc.constantFrom(undefined, 1),
        fc.constantFrom(...PIECES),
        async (value, indent, pieceBytes) => {
          const text = JSON.stringify(value, null, indent);
          expect(await read(text, pieceBytes)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it.each([
    ['names with a meaning of their own', '{"__proto__": {"a": [1, 2, 3]}, "constructor": 1, "b": "c"}'],
    ['one name twice', '{"a": [1, 2, 3, 4], "b": 2, "a": 1, "a": [5, 6, 7]}'],
    ['brackets, commas and quotes in strings', '["[{,]}", "\\"", "\\\\", {"}\\"]": "\\\\\\"], ["}, [","]]'],
    ['nothing in lists and objects', '[[], {}, [ ], { }, [[]], [{}]]'],
    ['text of many bytes', '["é\u{1f600}", {"é\u{1f600}": "\u2028"}]'],
  ])('with %s', async (_what, text) => {
    for (const pieceBytes of PIECES) expect(await read(text, pieceBytes)).toEqual(JSON.parse(text));
  });

  it('A long JSON text is read to the same characters where its bytes are not UTF-8', async () => {
    const byte = fc.constantFrom(0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0xff, 0x61, 0xa9);
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { minLength: 10 }), fc.constantFrom(...PIECES), async (bytes, pieceBytes) => {
        const text = Buffer.concat([Buffer.from('["'), Buffer.from(bytes), Buffer.from('"]')]);
        expect(await readJson(text, pieceBytes)).toEqual(JSON.parse(text.toString()));
      }),
    );
  });

  it.for([
    ['numbers', (count: number) => `[${'1,'.repeat(count)}1]`, true],
    ['empty objects in a member', (count: number) => `{"data":[${'{},'.repeat(count / 2)}{}]}`, true],
    ['lists in lists', (count: number) => `[[${'[[]],'.repeat(count / 3)}[]],1]`, false],
  ] as const)('A long JSON text has at most a million values: %s', async ([, write, isLong], { skip }) => {
    skip(isLong && !IS_LONG);
    expect(await readJson(Buffer.from(write(999_900)))).toBeDefined();
    expect(await readJson(Buffer.from(write(1_000_200)))).toBeUndefined();
    // In a text they are no values.
    const text = [','.repeat(1_000_200)];
    expect(await readJson(Buffer.from(JSON.stringify(text)))).toEqual(text);
  });

  it('A long JSON text is read while the event loop turns', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'é'.repeat(200), tags: ['a', 'b'] }));
    const text = Buffer.from(JSON.stringify(rows));
    let loops = 0;
    const count = () => {
      loops += 1;
      counter = setImmediate(count);
    };
    let counter = setImmediate(count);
    expect(await readJson(text)).toEqual(rows);
    clearImmediate(counter);
    expect(loops).toBeGreaterThan(10);
  });

  it('A long JSON text is nothing where it is no JSON', async () => {
    const texts = [
      '',
      ' ',
      '[1, 2',
      '[1, 2}',
      '[1,, 2]',
      '[, 1, 2]',
      '[1, 2, ]',
      '[1, 2] 3',
      '{"a": 1, }',
      '{, "a": 1}',
    ];
    texts.push(
      '{"a": 1 "b": 2}',
      '{"a" 1, "b": 2}',
      '{a: [1, 2, 3]}',
      '{[1, 2]: 3}',
      '["a',
      '["a\\"',
      '[1 2 3]',
      'nul',
    );
    for (const text of texts) {
      for (const pieceBytes of PIECES) expect(await read(text, pieceBytes), text).toBeUndefined();
    }
  });

  it('A long JSON text is nothing where it was changed so that JSON.parse refuses it', async () => {
    const text = JSON.stringify({
      data: [
        { id: 'a', tags: ['b', 'c'] },
        { id: 'd', place: { lon: 1.5 } },
      ],
      total: 2,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'[]{},:"\\ 0'), async (at, by) => {
        const changed = text.slice(0, at) + by + text.slice(at + 1);
        for (const pieceBytes of PIECES) expect(await read(changed, pieceBytes)).toEqual(parseShallowJson(changed));
      }),
      { numRuns: runs(200) },
    );
  });

  it('A long JSON text is read with a byte order mark before it, and to two hundred levels', async () => {
    expect(await read('\uFEFF[1, 2, 3]', 2)).toEqual([1, 2, 3]);
    const nested = (levels: number) => `[${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}, 1]`;
    for (const pieceBytes of [2, 1_000]) {
      expect(await read(nested(200), pieceBytes)).toEqual(JSON.parse(nested(200)));
      expect(await read(nested(201), pieceBytes)).toBeUndefined();
    }
  });
});
