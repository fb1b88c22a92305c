import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import { DOMAINS } from '../../analyst/page/labels/labels.js';
import { language } from '../../analyst/page/state/language.js';
import { type Declaration, readDeclarations } from '../../analyst/page/variables/declarations.js';
import { listed, OPTION_SOURCES } from '../../analyst/page/variables/options.js';
import ROME_CODES from '../../analyst/page/variables/rome-codes.json' with { type: 'json' };
import {
  nameValues,
  normalizeCode,
  problemOf,
  readValues,
  type VariableValues,
  writeValue,
} from '../../analyst/page/variables/values.js';
import { allProfessions } from '../../sandbox/world/professions.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

/** The declarations of the variables of a query for one field, by name. */
function declared(variables: string, field: string): Record<string, Declaration> {
  const found = readDeclarations(`query (${variables}) { ${field} }`, null, schema);
  return Object.fromEntries(found.map((declaration) => [declaration.name, declaration]));
}

describe('The declared variables', () => {
  test('tell how each is entered, by its type and by the argument that takes it', () => {
    const found = declared(
      `$place: INSEECode!, $away: Float = 20, $domain: [String!], $where: [MissionRemote!], $young: Boolean, $n: Int,
       $since: DateTimeRange, $text: String, $end: String`,
      `commune(insee: $place) { missions(radius: $away, domain: $domain, remote: $where, openToMinors: $young, first: $n,
       createdAt: $since, text: $text, after: $end) { totalCount } }`,
    );
    expect(Object.values(found).map(({ name, kind, isList, isRequired }) => [name, kind, isList, isRequired])).toEqual([
      ['place', 'commune', false, true],
      ['away', 'kilometres', false, false],
      ['domain', 'domain', true, false],
      ['where', 'choice', true, false],
      ['young', 'flag', false, false],
      ['n', 'integer', false, false],
      ['since', 'dateRange', false, false],
      ['text', 'text', false, false],
      // Without `end`: cursors are not entered by hand.
    ]);
    expect(found['away']).toMatchObject({ standard: 20, argument: 'radius' });
    expect(found['away']?.description).toContain('Kilometres');
    expect(found['where']?.choices).toEqual(
      ['NO', 'POSSIBLE', 'FULL', 'LOCAL'].filter((one) => found['where']?.choices.includes(one)),
    );
  });

  test('know départements and codes, and leave inputs and lists of numbers to JSON', () => {
    expect(declared('$d: [String!]', 'missions(department: $d) { totalCount }')['d']?.kind).toBe('departement');
    expect(declared('$d: [String!]', 'jobSearch(departements: $d) { truncated }')['d']?.kind).toBe('departement');
    expect(declared('$r: [ROMECode!]', 'jobSearch(romes: $r) { truncated }')['r']?.kind).toBe('rome');
    expect(declared('$r: RNCPCode!', 'certifications(rncp: $r) { totalCount }')['r']?.kind).toBe('rncp');
    expect(declared('$x: [Int]', 'sources { name }')['x']?.kind).toBe('json');
  });

  test('name a time before today as it is said, in both languages', () => {
    const none = listed(async () => []);
    const sources = { commune: none, departement: none, domain: none, choice: none, rome: none };
    const declarations = readDeclarations(
      'query ($d: DateTimeRange) { missions(createdAt: $d) { totalCount } }',
      null,
      schema,
    );
    const named = (after: string) => nameValues(declarations, { d: { after } }, sources);
    expect(named('-P30D')).toBe('Created: last 30 days');
    language.set('fr');
    expect(named('-P12M').replaceAll('\u202f', ' ')).toBe('Créée : 12 derniers mois');
    expect(named('-P1Y')).toContain('dernière année');
    language.set('en');
  });

  test('name the values of a request as people do, at most five of them and each short', async () => {
    const declarations = Object.values(
      declared(
        '$place: INSEECode!, $away: Float, $where: [MissionRemote!], $young: Boolean, $n: Int, $text: String',
        `commune(insee: $place) { missions(radius: $away, remote: $where, openToMinors: $young, first: $n, text: $text) {
          totalCount
        } }`,
      ),
    );
    const commune = { find: async () => [], labelOf: (code: string) => (code === '76540' ? 'Rouen' : null) };
    const none = listed(async () => []);
    const { choice } = OPTION_SOURCES;
    await choice.loaded?.();
    const named = (values: VariableValues) =>
      nameValues(declarations, values, { commune, departement: none, domain: none, choice, rome: none });
    const values = { place: '76540', away: 7.5, young: false, n: 1000, after: 'x' };
    expect(named(values)).toBe('Rouen, 7.5 km, Open to minors: no, Rows per page: 1,000');
    language.set('fr');
    expect(named(values)).toBe('Rouen, 7,5\u202fkm, Ouverte aux mineurs\u202f: non, Lignes par page\u202f: 1\u202f000');
    language.set('en');
    const many = { ...values, where: ['NO', 'FULL'], text: 'a'.repeat(100) };
    expect(named(many)).toBe('Rouen, 7.5 km, On site, Remote, Open to minors: no, Rows per page: 1,000, …');
    expect(named({ text: 'a'.repeat(100) })).toBe(`${'a'.repeat(39)}…`);
    expect(named({ place: null })).toBe('');
  });

  test('are those of the operation that runs, and none where the text is no query', () => {
    const query = 'query A($a: Int) { a } query B($b: Int!) { b }';
    expect(readDeclarations(query, 'B', null).map(({ name }) => name)).toEqual(['b']);
    expect(readDeclarations(query, null, null).map(({ name }) => name)).toEqual(['a']);
    expect(readDeclarations('query (', null, null)).toEqual([]);
    expect(readDeclarations('{ a }', null, null)).toEqual([]);
  });
});

describe('A value', () => {
  const place = declared('$v: INSEECode!', 'commune(insee: $v) { nom }')['v'] as Declaration;
  const radius = declared('$v: Float', 'commune(insee: "76540") { missions(radius: $v) { totalCount } }')[
    'v'
  ] as Declaration;
  const range = declared('$v: DateTimeRange', 'missions(createdAt: $v) { totalCount }')['v'] as Declaration;
  const areas = declared('$v: [String!]', 'missions(department: $v) { totalCount }')['v'] as Declaration;

  test.each([
    [place, undefined, 'required'],
    [place, '2A004', null],
    [place, '7600', 'code'],
    [radius, undefined, null],
    [radius, 1.5, null],
    [radius, -1, 'negative'],
    [radius, '10', 'number'],
    [range, { after: '2026-01-31' }, null],
    [range, { after: '-P30D' }, null],
    [range, { after: 'soon' }, 'date'],
    [areas, ['93', '2A', '971'], null],
    [areas, ['93', 'Paris'], 'code'],
  ] as const)('is checked before it is sent: %#', (declaration, value, problem) => {
    expect(problemOf(declaration, value)).toBe(problem);
  });

  test('is a code also where its letters or spaces are left out', () => {
    expect(normalizeCode('RNCPCode', '39908')).toBe('RNCP39908');
    expect(normalizeCode('RNCPCode', 'rncp 39908')).toBe('RNCP39908');
    expect(normalizeCode('SIRET', '110 002 011 00044')).toBe('11000201100044');
    expect(normalizeCode('String', ' Arts et sports ')).toBe('Arts et sports');
  });

  test('is written into the text of the editor, and read from it', () => {
    const values = readValues('{ "a": 1, "b": ["x"] }') ?? {};
    expect(writeValue(values, 'b', ['x', 'y'])).toBe(JSON.stringify({ a: 1, b: ['x', 'y'] }, null, 2));
    expect(writeValue(values, 'b', [])).toBe(JSON.stringify({ a: 1 }, null, 2));
    expect(writeValue(values, 'c', false)).toBe(JSON.stringify({ a: 1, b: ['x'], c: false }, null, 2));
    expect(readValues('')).toEqual({});
    expect(readValues('[1]')).toBeNull();
    expect(readValues('{ "a": ')).toBeNull();
  });
});

describe('A picker', () => {
  afterEach(() => language.set('en'));
  const { signal } = new AbortController();

  test('finds a code by its name in either language, without accents, and by itself', async () => {
    const romes = listed(async () => ROME_CODES);
    const codes = async (text: string) => (await romes.find(text, signal)).map(({ code }) => code);
    expect(await codes('développement info')).toEqual(['M1805']);
    expect(await codes('Etudes et developpement')).toEqual(['M1805']);
    expect(await codes('baker')).toEqual(['D1102']);
    expect((await codes('m1805'))[0]).toBe('M1805');
    expect(await codes('nothing of this')).toEqual([]);
  });

  test('names it in the language of the page', async () => {
    const domains = listed(async () => DOMAINS);
    expect((await domains.find('environ', signal))[0]?.label).toBe('Environment');
    language.set('fr');
    expect((await domains.find('environ', signal))[0]?.label).toBe('Environnement');
    expect(domains.labelOf('sante')).toBe('Santé');
    expect(domains.labelOf('other')).toBeNull();
  });

  test('offers codes that are written as such codes are', () => {
    for (const { code, fr, en } of ROME_CODES) {
      expect(code).toMatch(/^[A-N]\d{4}$/);
      expect(fr && en, code).toBeTruthy();
    }
    expect(new Set(ROME_CODES.map(({ code }) => code)).size).toBe(ROME_CODES.length);
    const offered = new Map(ROME_CODES.map(({ code, fr }) => [code, fr]));
    for (const { rome, label } of allProfessions) expect(offered.get(rome), rome).toContain(label.split(' ')[0]);
  });
});
