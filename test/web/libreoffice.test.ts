import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROW_FORMATS, writeRows } from '../../rows/formats.js';
import { temporaryFolder } from '../temporary-folder.js';
import { readTable } from './support.js';

/** Values that spreadsheets like to mangle. */
const ROWS = [
  {
    insee: '01004',
    siret: '35600000000048',
    nom: 'Ambérieu-en-Bugey',
    texte: 'dit « l’été »; "cité", et\nplus',
    nombre: -1.5,
    date: '2026-01-31',
  },
  {
    insee: '2A004',
    siret: '00000000000001',
    nom: 'Ajaccio',
    texte: '=cmd|calc',
    nombre: 12.25,
    date: '2026-01-31T23:59:59+02:00',
  },
];
const table = readTable({ rows: ROWS }, 'rows[]');

function written(name: string): Buffer {
  const format = ROW_FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw new Error(name);
  return Buffer.concat([...writeRows(format, table, table.rows())].map((part) => Buffer.from(part)));
}

const office = spawnSync('soffice', ['--version']).status === 0;
if (!office)
  console.log(
    'left out: LibreOffice is not installed (`apt-get install libreoffice-calc`), so no file was opened with it',
  );

describe.skipIf(!office)('LibreOffice opens the rows', () => {
  const folder = temporaryFolder();

  test('of the workbook with codes, accents, quotes and formulas as they were', () => {
    // The format of a date depends on LibreOffice's locale; that it is a date, the next test checks.
    const withoutDate = (rows: string[]) => rows.map((row) => row.slice(0, row.lastIndexOf('|')));
    expect(withoutDate(opened('rows.xlsx', written('xlsx')))).toEqual(withoutDate(expectedRows('=cmd|calc')));
  });

  test('of the workbook with dates that are dates, a filter and two sheets', () => {
    writeFileSync(join(folder, 'dates.xlsx'), written('xlsx'));
    convert('dates.xlsx', 'fods', []);
    const document = readFileSync(join(folder, 'fods', 'dates.fods'), 'utf8');
    expect(document).toMatch(/office:date-value="2026-01-31".*office:date-value="2026-01-31T21:59:59"/s);
    expect(document).toMatch(/<table:table table:name="Rows".*<table:table table:name="About"/s);
    expect(document).toContain('table:display-filter-buttons="true"');
  });

  test('of the plain CSV as text, with nothing run', () => {
    expect(opened('plain.csv', written('csv'), '44,34,76,1,1/2/2/2/3/2/4/2/5/2/6/2')).toEqual(
      expectedRows("'=cmd|calc"),
    );
  });

  test('of the French CSV as text, with its decimal commas and dates', () => {
    const rows = opened('french.csv', written('csv-fr'), '59,34,76,1,1/2/2/2/3/2/4/2/5/2/6/2');
    const asWritten = [
      ['-1,5', '-1.5'],
      ['12,25', '12.25'],
      ['31/01/2026 21:59:59', '2026-01-31T23:59:59+02:00'],
      ['31/01/2026', '2026-01-31'],
    ] as const;
    const plain = rows.map((row) => asWritten.reduce((text, [french, iso]) => text.replace(french, iso), row));
    expect(plain).toEqual(expectedRows("'=cmd|calc"));
  });

  /** Converts a file to another format, into a separate folder. */
  function convert(name: string, target: string, more: string[], format = target): void {
    const { status, stderr } = spawnSync('soffice', [
      ...['--headless', `-env:UserInstallation=file://${join(folder, 'profile')}`, ...more],
      ...['--convert-to', format, '--outdir', join(folder, target), join(folder, name)],
    ]);
    expect(status, stderr.toString()).toBe(0);
  }

  /** The rows after LibreOffice has opened a file, as it exports them, separated by bars. */
  function opened(name: string, content: string | Buffer, filter?: string): string[] {
    writeFileSync(join(folder, name), content);
    const target = name.replace('.', '-');
    const more = filter === undefined ? [] : [`--infilter=Text - txt - csv (StarCalc):${filter}`];
    convert(name, target, more, 'csv:Text - txt - csv (StarCalc):124,34,76,1,,0,false,true,false');
    const text = readFileSync(join(folder, target, name.replace(/\..*$/, '.csv')), 'utf8');
    return text.trimEnd().split(/\n(?=01004|2A004|"?01004|"?2A004)/);
  }
});

/** The table as LibreOffice exports it in CSV, separated by bars. */
function expectedRows(formula: string): string[] {
  return [
    'insee|siret|nom|texte|nombre|date',
    '01004|35600000000048|Ambérieu-en-Bugey|"dit « l’été »; ""cité"", et\nplus"|-1.5|2026-01-31',
    `2A004|00000000000001|Ajaccio|${formula.includes('|') ? `"${formula}"` : formula}|12.25|2026-01-31T23:59:59+02:00`,
  ];
}
