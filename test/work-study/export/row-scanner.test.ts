import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowScanner, type ScannedRow } from '../../../subgraphs/work-study/export/row-scanner.js';
import { runs } from '../../runs.js';

const SIRET = '73282932000074';
const OTHER = '35600000000048';

/** Scans a document in pieces of these sizes, the last of which repeats. */
function scan(document: string | Buffer, sizes: readonly number[] = [document.length]): ScannedRow[] {
  const bytes = Buffer.from(document);
  const rows: ScannedRow[] = [];
  const scanner = new RowScanner((row) => rows.push(row));
  for (let from = 0, piece = 0; from < bytes.length; piece++) {
    const size = sizes[Math.min(piece, sizes.length - 1)] ?? bytes.length;
    scanner.push(bytes.subarray(from, from + size));
    from += size;
  }
  scanner.end();
  return rows;
}

function siretsOf(document: string, sizes?: readonly number[]): (string | null)[] {
  return scan(document, sizes).map(({ siret }) => siret);
}

/** The rows as `JSON.parse` reads them, each with its SIRET. */
function parsed(document: string): { row: unknown; siret: string | null }[] {
  const rows: unknown[] = JSON.parse(document);
  return rows.flatMap((row): { row: unknown; siret: string | null }[] => {
    if (typeof row !== 'object' || row === null) return [{ row, siret: null }];
    const workplace: unknown = Reflect.get(row, 'workplace');
    const isObject = typeof workplace === 'object' && workplace !== null && !Array.isArray(workplace);
    const siret: unknown = isObject ? Reflect.get(workplace, 'siret') : null;
    return [{ row, siret: typeof siret === 'string' && /^\d{14}$/.test(siret) ? siret : null }];
  });
}

describe('any document, however it is cut,', () => {
  const word = fc.constantFrom(
    'workplace',
    'siret',
    SIRET,
    OTHER,
    `"siret":"${SIRET}"`,
    '\\',
    '\\"',
    '{',
    ']',
    'é',
    '😀',
    '',
  );
  const text = fc.oneof(
    word,
    fc.string({ unit: 'binary' }),
    fc.array(word).map((words) => words.join('')),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, -1.5e-7),
      text,
      tie('list'),
      tie('object'),
      tie('likely'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(fc.oneof(text, fc.constantFrom('workplace', 'siret')), tie('value'), { maxKeys: 4 }),
    likely: fc.record({ siret: tie('value'), workplace: tie('value'), other: tie('value') }, { requiredKeys: [] }),
  }));
  const row = fc.oneof(
    value,
    fc.record({ id: value, workplace: fc.oneof(value, fc.record({ name: value, siret: word })) }),
  );
  const document = fc
    .tuple(fc.array(row, { maxLength: 6 }), fc.constantFrom(undefined, 1, '\t'))
    .map(([rows, indent]) => JSON.stringify(rows, null, indent));
  const cuts = fc.oneof(
    fc.constantFrom([1], [2], [3], [7], [64], [100_000]),
    fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 }),
  );

  it('has the rows and SIRETs that JSON.parse finds', () => {
    fc.assert(
      fc.property(document, cuts, (document, sizes) => {
        const bytes = Buffer.from(document);
        const found = scan(document, sizes).map(({ start, end, siret }) => ({
          row: JSON.parse(bytes.toString('utf8', start, end)) as unknown,
          siret,
        }));
        expect(found).toEqual(parsed(document));
      }),
      { seed: 1, numRuns: runs(500) },
    );
  });

  it('with every character escaped, too', () => {
    const escapedDocument = `[{"${escapeAll('workplace')}":{"${escapeAll('siret')}":"${escapeAll(SIRET)}"}}]`;
    for (const size of [1, 2, 3, 7, 64]) expect(siretsOf(escapedDocument, [size])).toEqual([SIRET]);
  });
});

describe('a SIRET', () => {
  it('is read from the workplace of the row and nowhere else', () => {
    const elsewhere = [
      { siret: SIRET },
      { apply: { siret: SIRET } },
      { workplace: { domain: { siret: SIRET } } },
      { workplace: [{ siret: SIRET }] },
      { workplace: [SIRET, 'siret', SIRET] },
      { offer: { workplace: { siret: SIRET } } },
      [['workplace', { siret: SIRET }]],
    ];
    expect(siretsOf(JSON.stringify(elsewhere))).toEqual(elsewhere.map(() => null));
  });

  it('is not taken out of a text that looks like one', () => {
    const description = `"workplace":{"siret":"${OTHER}"}, \\"siret\\":\\"${OTHER}\\" \\\\`;
    const rows = [{ offer: { description }, workplace: { name: description, siret: SIRET, description } }];
    for (const size of [1, 2, 3, 7, 64, 1_000]) expect(siretsOf(JSON.stringify(rows), [size])).toEqual([SIRET]);
  });

  it('is none when it is null, a number or not of 14 digits', () => {
    const rows = [null, 73282932000074, '7328293200007', '732829320000745', 'x'.repeat(100), '', [SIRET]];
    expect(siretsOf(JSON.stringify(rows.map((siret) => ({ workplace: { siret } }))))).toEqual(rows.map(() => null));
  });

  it('is the last one where a key is written twice', () => {
    expect(siretsOf(`[{"workplace":{"siret":"${SIRET}","siret":"${OTHER}"}}]`)).toEqual([OTHER]);
    expect(siretsOf(`[{"workplace":{"siret":"${SIRET}","siret":null}}]`)).toEqual([null]);
    expect(siretsOf(`[{"workplace":{"siret":"${SIRET}"},"workplace":null}]`)).toEqual([null]);
  });

  it('does not stay for the next row', () => {
    expect(siretsOf(`[{"workplace":{"siret":"${SIRET}"}},{"workplace":{"name":"${OTHER}"}},{}]`)).toEqual([
      SIRET,
      null,
      null,
    ]);
  });
});

describe('the lists of an object', () => {
  it('are read like one list', () => {
    const document = JSON.stringify({
      jobs: [{ workplace: { siret: SIRET } }],
      about: { workplace: { siret: OTHER } },
      recruiters: [{ workplace: { siret: OTHER } }],
      warnings: [],
    });
    const rows = scan(document, [5]);
    expect(rows.map(({ siret }) => siret)).toEqual([SIRET, OTHER]);
    expect(rows.map(({ start, end }) => document.slice(start, end))).toEqual([
      `{"workplace":{"siret":"${SIRET}"}}`,
      `{"workplace":{"siret":"${OTHER}"}}`,
    ]);
  });
});

describe('what is no export', () => {
  const whole = JSON.stringify([{ workplace: { siret: SIRET, name: 'a]}"' } }, { a: [1, 2] }]);

  it('is a file truncated anywhere', () => {
    for (let length = 0; length < whole.length; length++) {
      expect(() => scan(whole.slice(0, length)), whole.slice(0, length)).toThrow('truncated');
    }
    expect(scan(whole)).toHaveLength(2);
  });

  it.each([
    ['<html><body>[] {}</body></html>', 'not JSON'],
    ['{"statusCode":500,"name":"Internal Server Error"}', 'not a list'],
    ['[]]', 'closes more'],
    ['[][]', 'after its end'],
    ['[{}] trailing', 'not JSON'],
    ['null', 'not JSON'],
  ])('is %s', (document, reason) => {
    expect(() => scan(document)).toThrow(reason);
  });

  it('is not a byte-order mark or blanks around the list', () => {
    expect(scan(Buffer.from('\ufeff\n [ {} , {} ] \r\n'), [1])).toHaveLength(2);
  });
});

/** A text with each character as a six-byte escape. */
function escapeAll(text: string): string {
  return [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
