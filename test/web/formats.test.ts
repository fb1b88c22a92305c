import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { fileName, ROW_FORMATS, type RowFormat, writeRows } from '../../rows/formats.js';
import type { JsonObject } from '../../rows/path.js';
import { EVERYTHING } from '../../rows/row-choice.js';
import { aboutLines } from '../../rows/row-file.js';
import { columnsXml, rangeTo } from '../../rows/xlsx.js';
import { parseCsv, readTable } from './support.js';

const HARD = {
  rows: [
    {
      code: '01004',
      siret: '21270279700011',
      text: 'É « à » "x"; y, z',
      formula: '=cmd|calc',
      number: -1.5,
      day: '2026-11-21',
    },
    { code: '2A004', siret: null, text: 'two\r\nlines', formula: '-1', number: 1e21, day: '2026-11-21T23:59:59+02:00' },
    { code: '', siret: '', text: '\ttab', formula: '@x', number: 0, day: null },
    { code: '+33', siret: 'a', text: "'", formula: '＝1', number: 12, day: 'x' },
  ],
};

function formatNamed(name: string): RowFormat {
  const format = ROW_FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw new Error(name);
  return format;
}

function write(name: string, data: JsonObject, note: string | null = null): Uint8Array {
  const table = readTable(data, 'rows[]');
  const parts = [...writeRows(formatNamed(name), table, table.rows(), { note })];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

const text = (...rows: Parameters<typeof write>) => Buffer.from(write(...rows)).toString('utf8');

describe('CSV', () => {
  test('reads back as RFC 4180 says, with every character in its place', () => {
    const [names, ...records] = parseCsv(text('csv', HARD));
    expect(names).toEqual(['code', 'siret', 'text', 'formula', 'number', 'day']);
    expect(records).toEqual([
      ['01004', '21270279700011', 'É « à » "x"; y, z', "'=cmd|calc", '-1.5', '2026-11-21'],
      ['2A004', '', 'two\r\nlines', "'-1", '1e+21', '2026-11-21T23:59:59+02:00'],
      ['', '', "'\ttab", "'@x", '0', ''],
      ["'+33", 'a', "'", "'＝1", '12', 'x'],
    ]);
  });

  test('in the French form has a byte order mark, semicolons and decimal commas', () => {
    const written = text('csv-fr', HARD);
    expect(written.startsWith('\uFEFFcode;siret;text;')).toBe(true);
    const [, first] = parseCsv(written.slice(1), ';');
    expect(first).toEqual(['01004', '21270279700011', 'É « à » "x"; y, z', "'=cmd|calc", '-1,5', '21/11/2026']);
    expect(written).toContain('21/11/2026 21:59:59');
  });

  test('by choice writes codes that begin with zero as text for a spreadsheet, or every text as it is', () => {
    const rows = [{ code: '01300', other: '0x', zero: '0', formula: '=1' }];
    expect(parseCsv(text('csv-fr-codes', { rows }).slice(1), ';')[1]).toEqual(['="01300"', '0x', '0', "'=1"]);
    expect(text('csv-raw', { rows })).toBe('code,other,zero,formula\r\n01300,0x,0,=1\r\n');
  });

  test('keeps a negative number a number and a text that looks like one a text', () => {
    expect(text('csv', { rows: [{ a: -1, b: '-1' }] })).toBe("a,b\r\n-1,'-1\r\n");
  });

  test('quotes what holds any separator, for nobody knows which one a program expects', () => {
    for (const cell of ['x;y', 'x,y', 'x\ty', 'x\ry', 'x\ny']) {
      expect(text('csv', { rows: [{ a: cell }] })).toBe(`a\r\n"${cell}"\r\n`);
      expect(text('csv-fr', { rows: [{ a: cell }] })).toBe(`\uFEFFa\r\n"${cell}"\r\n`);
    }
  });

  test.each([
    ['a;=1+1;b', "a;'=1+1;b"],
    ['a,=1+1,-2', "a,'=1+1,'-2"],
    ['a\t@x', "a\t'@x"],
    ['a\r\n+33', "a\r\n'+33"],
    ['a;"=1+1"', 'a;"\'=1+1"'],
    ['a;＝1', "a;'＝1"],
    ['\t=1', "'\t'=1"],
    [' =1+1', " '=1+1"],
    ['\u00a0 @x', "\u00a0 '@x"],
    ['a; =1+1', "a; '=1+1"],
    ['" +33', '" \'+33'],
    [' 12 - 4', ' 12 - 4'],
    ['a = 1; b - 2, c', 'a = 1; b - 2, c'],
  ])('leaves no formula behind a separator of any form: %j', (cell, safe) => {
    expect(parseCsv(text('csv', { rows: [{ a: cell, b: 1 }] }))[1]?.[0]).toBe(safe);
    expect(parseCsv(text('csv-fr', { rows: [{ a: cell, b: 1 }] }).slice(1), ';')[1]?.[0]).toBe(safe);
  });

  test('read with any separator, quotes known or not, has no cell that begins as a formula', () => {
    const rows = ['a;=1+1;b', 'a,=1', 'a\t=1', 'a\n=1', 'a\r=1', 'a;"=1"', '"=1', ';;=1', 'a,""=1'].map((hard) => ({
      x: 'é',
      hard,
    }));
    for (const name of ['csv', 'csv-fr']) {
      for (const separator of [',', ';', '\t']) {
        const lines = text(name, { rows })
          .replace('\uFEFF', '')
          .split(/[\r\n]+/);
        const cells = lines.flatMap((line) => line.split(separator));
        expect(cells.filter((cell) => /^"*[=+\-@]/.test(cell))).toEqual([]);
      }
    }
  });

  test('of no rows is nothing', () => {
    expect(text('csv', { rows: [] })).toBe('');
  });

  test('leaves in parts, so that nothing waits for the last row', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, text: 'a mission' }));
    const table = readTable({ rows }, 'rows[]');
    const parts = [...writeRows(formatNamed('csv'), table, table.rows())];
    expect(parts.length).toBeGreaterThan(3);
    expect(parseCsv(parts.join(''))).toHaveLength(20_001);
  });
});

describe('XLSX', () => {
  const sheetOf = (data: JsonObject) => {
    const files = unzipSync(write('xlsx', data));
    return strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  };

  test('names its default style, without which openpyxl and pandas warn', () => {
    const written = writeRows(formatNamed('xlsx'), readTable(HARD, 'rows[]'), []);
    const files = unzipSync(Buffer.concat([...written].map((part) => Buffer.from(part))));
    const styles = strFromU8(files['xl/styles.xml'] ?? new Uint8Array());
    // The standard has them after the formats that they name (ECMA-376, CT_Stylesheet).
    expect(styles).toMatch(
      /<\/cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"\/><\/cellStyles>/,
    );
    expect(styles).toContain('<cellStyleXfs count="1">');
  });

  test('holds dates and times as such, and what only looks like one as text', () => {
    const sheet = sheetOf({
      rows: [
        { a: '2026-01-31', b: '2026-01-31T23:59:59+02:00', c: '2026-02-30', d: '1899-01-01' },
        { a: '2026-02-01', b: '2026-02-01T12:00', c: '2026-1-1', d: '2026-01-31 at noon' },
      ],
    });
    // 46,053 days after Excel's epoch, as its function DATEVALUE returns.
    expect(sheet).toContain('<c r="A2" s="3"><v>46053</v></c>');
    expect(sheet).toMatch(/<c r="B2" s="4"><v>46053\.9166\d+<\/v><\/c>/);
    expect(sheet).toContain('<c r="B3" s="4"><v>46054.5</v></c>');
    for (const text of ['2026-02-30', '1899-01-01', '2026-1-1', '2026-01-31 at noon']) {
      expect(sheet).toContain(`<t xml:space="preserve">${text}</t>`);
    }
  });

  test('has widths, a header that stays and filters, also for more rows than are measured', () => {
    const rows = Array.from({ length: 250 }, (_, index) => ({ id: index, title: 'x'.repeat(index % 30) }));
    const sheet = sheetOf({ rows });
    expect(sheet).toMatch(/<cols><col min="1" max="1" width="10" [^>]+\/><col min="2" max="2" width="31" /);
    // A number is shown with twelve characters at most, the longest line of a text with its own.
    expect(columnsXml(['n', 't'], [[1 / 3, `${'x'.repeat(20)}\ny`]])).toMatch(/"14".+"22"/);
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toContain('<autoFilter ref="A1:B251"/>');
    expect(sheet.match(/<row r="\d+">/g)).toHaveLength(251);
    expect(rangeTo(28, 3)).toBe('A1:AB3');
  });

  test('says in a second sheet where the rows are from and what they lack', () => {
    const origin = {
      ...{ request: { query: '{\n  a\n}', variables: { b: 1 } }, writtenAt: new Date(0), path: 'rows[]' },
      ...{ choice: EVERYTHING, services: ['work-study'], calls: 3, errors: 2 },
      language: 'en' as const,
    };
    const table = readTable(HARD, 'rows[]');
    const parts = [...writeRows(formatNamed('xlsx'), table, table.rows(), { about: aboutLines(origin) })];
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet2.xml'] ?? new Uint8Array());
    for (const text of [
      '{\n  a\n}',
      '{"b":1}',
      '1970-01-01T00:00:00.000Z',
      'work-study',
      '<v>3</v>',
      '2: fields that',
    ]) {
      expect(sheet.replaceAll('&quot;', '"'), text).toContain(text.startsWith('1970') ? '<v>25569</v>' : text);
    }
    // The row is as high as its three lines, and a time's column as wide as its shown text.
    expect(sheet).toMatch(/<row r="1" ht="45" customHeight="1">.*?Query/);
    expect(columnsXml(['at'], [['2026-01-31T23:59:59.123+02:00']])).toContain('width="18"');
    const about = [['Requête', 'é'.repeat(40_000)] as const];
    const inFrench = writeRows(formatNamed('xlsx'), { ...table, language: 'fr' }, table.rows(), { about });
    const files = unzipSync(Buffer.concat([...inFrench].map((part) => Buffer.from(part))));
    expect(strFromU8(files['xl/workbook.xml'] ?? new Uint8Array())).toMatch(
      /name="Lignes".*name="À propos".*_FilterDatabase.*>Lignes!\$A\$1:\$[A-Z]+\$\d+</,
    );
    expect(strFromU8(files['xl/worksheets/sheet2.xml'] ?? new Uint8Array())).toContain('>Textes coupés<');
    const french = aboutLines({ ...origin, language: 'fr' });
    const english = aboutLines(origin);
    expect(aboutLines({ ...origin, services: null }).map(([name]) => name)).not.toContain('Sources');
    expect(french.map(([name]) => name)).toContain('Appels aux services');
    expect(french.filter(([name], at) => name === english[at]?.[0])).toEqual([
      ['Variables', '{"b":1}'],
      ['Sources', 'work-study'],
    ]);
  });

  test('of equal rows is equal to the byte', () => {
    expect(Buffer.compare(write('xlsx', HARD), write('xlsx', HARD))).toBe(0);
  });
});

describe('GeoJSON', () => {
  test('says the longitude first, and keeps rows without a position', () => {
    const data = {
      rows: [
        { nom: 'É', location: { lat: 48.8, lon: 2.3 } },
        { nom: '=x', location: null },
      ],
    };
    expect(JSON.parse(text('geojson', data))).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [2.3, 48.8] },
          properties: { nom: 'É', 'location.lat': 48.8, 'location.lon': 2.3 },
        },
        { type: 'Feature', geometry: null, properties: { nom: '=x', 'location.lat': null, 'location.lon': null } },
      ],
    });
  });

  test('has no geometry for a position that is nowhere on the globe, and its values as they are', () => {
    const places = [
      [180, 90],
      [-180, -90],
      [180.000001, 0],
      [2, 90.1],
      [-999, 48],
      [48.8, -91],
    ];
    const rows = places.map(([lon = 0, lat = 0]) => ({ location: { lon, lat } }));
    const { features } = JSON.parse(text('geojson', { rows }));
    expect(features.map(({ geometry }: { geometry: unknown }) => geometry)).toEqual([
      { type: 'Point', coordinates: [180, 90] },
      { type: 'Point', coordinates: [-180, -90] },
      ...[null, null, null, null],
    ]);
    expect(features.map(({ properties }: { properties: object }) => Object.values(properties))).toEqual(places);
  });

  test('has no date that does not exist or is out of range, which readers refuse with the whole file', () => {
    const odd = [
      '2026-02-30',
      '2026-02-30T10:00:00Z',
      '2026-04-31 08:00',
      '+020025-01-01T00:00:00.000Z',
      '12026-01-01',
    ];
    const kept = [
      '2026-02-28',
      '2026-02-01T12:00',
      '9999-12-31T23:00:00Z',
      '2026-01-31 at noon',
      '1234-56-78',
      '01/09/2026',
    ];
    const { features } = JSON.parse(text('geojson', { rows: [...odd, ...kept].map((start) => ({ start })) }));
    expect(features.map(({ properties }: { properties: { start: unknown } }) => properties.start)).toEqual([
      ...odd.map(() => null),
      ...kept,
    ]);
  });

  test('of no rows is an empty collection', () => {
    expect(JSON.parse(text('geojson', { rows: [] }))).toEqual({ type: 'FeatureCollection', features: [] });
  });
});

describe('A file that lacks something says so at its end', () => {
  const data = { rows: [{ a: 1, b: 'é', location: { lon: 1, lat: 2 } }] };
  const note = 'cut after 1 row: "why", as it is';

  test('CSV in a last line, which begins as a comment', () => {
    expect(parseCsv(text('csv', data, note))).toEqual([
      ['a', 'b', 'location.lon', 'location.lat'],
      ['1', 'é', '1', '2'],
      ['# incomplete: cut after 1 row: why as it is', '', '', ''],
    ]);
  });

  test('GeoJSON in a member of its own', () => {
    expect(JSON.parse(text('geojson', data, note))).toMatchObject({
      incomplete: note,
      features: [{ type: 'Feature' }],
    });
  });

  test('XLSX in a last row', () => {
    const sheet = strFromU8(unzipSync(write('xlsx', data, note))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet).toMatch(
      /# incomplete: cut after 1 row[^<]*<\/t><\/is><\/c><\/row><\/sheetData><autoFilter ref="A1:D2"\/>/,
    );
  });

  test('in its language, and once', () => {
    const lines = ['csv', 'xlsx'].map((name) => {
      const parts = [
        ...writeRows(formatNamed(name), { columns: [], positions: [], language: 'fr' }, [], { note: 'x' }),
      ];
      const written = Buffer.concat(parts.map((part) => Buffer.from(part)));
      return name === 'csv'
        ? String(written)
        : strFromU8(unzipSync(written)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    });
    expect(lines).toEqual(['# incomplet : x\r\n', expect.stringContaining('># incomplet : x<')]);
    const about = strFromU8(unzipSync(write('xlsx', data, note))['xl/worksheets/sheet2.xml'] ?? new Uint8Array());
    expect(about).toMatch(/>Incomplete<.*>cut after 1 row: /);
  });
});

test('a file is named after its list', () => {
  const csv = { extension: 'csv' };
  expect(fileName('communes[].missions.nodes[]', csv)).toBe('missions.csv');
  expect(fileName('', csv)).toBe('response.csv');
  expect(fileName('missions.nodes[]', csv, false)).toBe('missions-incomplete.csv');
  expect(fileName(`${'a'.repeat(900)}.nodes[]`, csv, false).length).toBeLessThan(128);
});
