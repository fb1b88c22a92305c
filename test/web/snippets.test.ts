import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeSteps, dataLink } from '../../analyst/page/results/data-link.js';
import { SNIPPETS } from '../../analyst/page/results/snippets.js';
import type { QueryResult } from '../../analyst/page/state/query-result.js';
import { EVERYTHING } from '../../rows/row-choice.js';
import { finish } from '../../rows/steps.js';
import { IS_LONG } from '../runs.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { temporaryFolder } from '../temporary-folder.js';
import { shownRows } from './shown-rows.js';
import { parseCsv } from './support.js';

const RUNS: Readonly<Record<string, { readonly program: string; readonly args: string[]; readonly file: string }>> = {
  curl: { program: 'sh', args: [], file: 'rows.sh' },
  pandas: { program: 'python3', args: [], file: 'rows.py' },
  R: { program: 'Rscript', args: [], file: 'rows.R' },
  DuckDB: { program: 'python3', args: [], file: 'duck.py' },
  JavaScript: { program: process.execPath, args: [], file: 'rows.mjs' },
};

const codesOf = (...given: Parameters<typeof codeSteps>) => finish(codeSteps(...given));

const runs = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** Whether each is there, and what it needs. Looking for all of them takes a second, which is left to long runs. */
const HERE: Readonly<Record<string, readonly [isHere: boolean, needs: string]>> = {
  curl: [runs('curl', '--version'), 'apt-get install curl'],
  pandas: [IS_LONG && runs('python3', '-c', 'import pandas'), 'apt-get install python3-pandas'],
  R: [IS_LONG && runs('Rscript', '--version'), 'apt-get install r-base-core'],
  DuckDB: [IS_LONG && runs('python3', '-c', 'import duckdb'), 'pip install duckdb'],
  JavaScript: [true, ''],
  'Excel (Power Query)': [false, 'Excel for Windows'],
};

const isHere = (name: string) => HERE[name]?.[0] === true;
for (const { name } of SNIPPETS.filter(({ name }) => !isHere(name))) {
  console.log(
    `left out: the snippet for ${name}, which needs \`${HERE[name]?.[1]}\`${IS_LONG ? '' : ' and a long run'}`,
  );
}

describe('The snippets of a data link', () => {
  const folder = temporaryFolder();
  let stack: Stack;
  let result: QueryResult;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 } });
    const query = '{ missions(first: 20) { pageInfo { hasNextPage endCursor } nodes { title postalCode places } } }';
    const { data } = await stack.send(query);
    result = {
      request: { query },
      response: { data },
      trace: null,
      status: 200,
      ms: 1,
      bytes: 1,
      receivedAt: new Date(0),
    };
  });
  afterAll(() => stack.close());

  const choice = {
    ...EVERYTHING,
    columns: [
      { name: 'postalCode', title: 'Code "postal"' },
      { name: 'title', title: "Titre de l'offre" },
    ],
    where: [{ column: 'postalCode', operator: 'has' as const, value: '0' }],
    order: { column: 'postalCode', descending: false },
  };

  test.each(SNIPPETS.filter(({ name }) => isHere(name)).map((snippet) => [snippet.name, snippet] as const))(
    'read all rows with %s, codes as they are',
    async (name, { write }) => {
      const shown = shownRows(result.response.data ?? {}, 'missions.nodes[]', { choice });
      const address = (format: string) => `${stack.url}/graphql?${dataLink(result, shown, { format, allPages: true })}`;
      const [, ...rows] = parseCsv(await (await fetch(address('csv'))).text());
      expect(rows.length).toBeGreaterThan(20);
      const { program, args, file } = RUNS[name] ?? { program: '', args: [], file: '' };
      writeFileSync(
        join(folder, file),
        write({ address, file: 'rows.csv', codes: codesOf(shown, { allPages: true }), numbers: [] }),
      );
      const { stdout } = await promisify(execFile)(program, [...args, file], { cwd: folder });
      if (name === 'curl')
        expect(parseCsv(readFileSync(join(folder, 'rows.csv'), 'utf8'))).toHaveLength(rows.length + 1);
      else expect(stdout).toContain(rows[0]?.[0]);
      if (name === 'pandas') expect(stdout).toContain(`[${rows.length} rows x 2 columns]`);
    },
  );
});

test('The lines for DuckDB leave nothing to its look at the first rows: long files have quotes and a note after them', () => {
  const lines = SNIPPETS.find(({ name }) => name === 'DuckDB')?.write({
    address: () => '',
    file: "l'offre.csv",
    codes: ['siret'],
    numbers: [],
  });
  const [, read = '""'] = /duckdb\.sql\((".*")\)\.show/.exec(lines ?? '') ?? [];
  expect(JSON.parse(read)).toBe(
    `FROM read_csv('l''offre.csv', delim = ',', quote = '"', escape = '"', header = true, sample_size = -1, types = {'siret': 'VARCHAR'})`,
  );
});

describe('The codes of a list', () => {
  const rows = Array.from({ length: 500 }, (_, index) => ({
    place: index === 499 ? '01120' : 'Lyon',
    count: index,
    note: null,
  }));
  const where = [{ column: 'count', operator: 'lt' as const, value: '10' }];

  test('are those of all rows of the file, not of the first ones alone', () => {
    expect(codesOf(shownRows({ rows }, 'rows[]'), { allPages: false })).toEqual(['place']);
    const few = shownRows({ rows }, 'rows[]', { choice: { ...EVERYTHING, where } });
    expect(codesOf(few, { allPages: false })).toEqual([]);
  });

  test('are looked for in steps of a thousand rows', () => {
    const many = { rows: Array.from({ length: 10_000 }, () => ({ place: 'Lyon', note: 'none' })) };
    expect([...codeSteps(shownRows(many, 'rows[]'), { allPages: false })]).toHaveLength(2 * 10);
  });

  test('may come with the other pages: what is empty so far is text, and what other rows have counts', () => {
    const columns = ['place', 'note'].map((name) => ({ name, title: `${name} #(` }));
    const few = shownRows({ rows }, 'rows[]', { choice: { ...EVERYTHING, columns, where } });
    expect(codesOf(few, { allPages: true })).toEqual(['place #(', 'note #(']);
  });

  test('are titles that Power Query reads as they are', () => {
    const snippet = SNIPPETS.find(({ name }) => name.startsWith('Excel'));
    const text = snippet?.write({ address: () => '', file: '', codes: ['a "b" #(lf)'], numbers: ['km'] });
    // Numbers have a decimal point, whatever the language of Windows.
    expect(text).toContain('{{"a ""b"" #(#)(lf)", type text}, {"km", type number}}, "en-US")');
  });
});
