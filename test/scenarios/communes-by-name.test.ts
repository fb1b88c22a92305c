import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const SEARCH = 'work-study GET /api/geographie/v1/commune/search?code=';

describe.each(USUAL_SHAPE)('Communes by name, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test('come with what the official list knows, without a call', async () => {
    const { data, errors } = await stack.send(
      '{ communesByName(name: "St denis", first: 2) { nom code { insee } departement { codeInsee nom } } }',
    );
    expect(errors).toEqual([]);
    expect(data.communesByName).toEqual([
      { nom: 'Saint-Denis', code: { insee: '97411' }, departement: { codeInsee: '974', nom: 'La Réunion' } },
      { nom: 'Saint-Denis', code: { insee: '93066' }, departement: { codeInsee: '93', nom: 'Seine-Saint-Denis' } },
    ]);
    expect(stack.calls()).toEqual([]);
  });

  test('are those of the département that stands behind the name in brackets', async () => {
    const { data, errors } = await stack.send(`{
      code: communesByName(name: "Saint-Denis (93)", first: 1) { code { insee } }
      corsican: communesByName(name: "Ajaccio (2a)") { code { insee } }
      name: communesByName(name: "st denis (seine-saint-denis) ", first: 1) { code { insee } }
      elsewhere: communesByName(name: "Rouen (93)") { code { insee } }
      overseas: communesByName(name: "Saint-Denis (Reunion)", first: 1) { code { insee } }
      postal: communesByName(name: "93200 Saint-Denis", first: 1) { code { insee } }
      bare: communesByName(name: "93200") { code { insee } }
    }`);
    expect(errors).toEqual([]);
    const found = (...codes: string[]) => codes.map((insee) => ({ code: { insee } }));
    expect(data).toEqual({
      code: found('93066'),
      corsican: found('2A004'),
      name: found('93066'),
      elsewhere: [],
      overseas: found('97411'),
      postal: found('93066'),
      bare: found('93066'),
    });
    expect(stack.calls()).toEqual([]);
  });

  test('of brackets that are no département are the error of their field, which names the nearest', async () => {
    const { data, errors } = await stack.send(`{
      nonsense: communesByName(name: "Paris (xyz)") { nom }
      unknown: communesByName(name: "Saint-Denis (00)") { nom }
      several: communesByName(name: "Saint Denis (93) (11)") { nom }
      misspelt: communesByName(name: "Saint-Denis (Seine-Saint-Dennis)") { nom }
      none: communesByName(name: "(Réunion)") { nom }
    }`);
    expect(data).toEqual({ nonsense: null, unknown: null, several: null, misspelt: null, none: null });
    const said = errors.map(({ path, message, extensions }) => `${extensions.code} ${path}: ${message}`).sort();
    expect(said).toEqual([
      'BAD_USER_INPUT misspelt: name has something in brackets that is no département (did you mean 93, Seine-Saint-Denis?).',
      'BAD_USER_INPUT none: name names no commune.',
      'BAD_USER_INPUT nonsense: name has something in brackets that is no département.',
      'BAD_USER_INPUT several: name has several départements in brackets.',
      'BAD_USER_INPUT unknown: name has something in brackets that is no département.',
    ]);
    expect(stack.calls()).toEqual([]);
  });

  test('cost one call each as soon as a field of the service is selected', async () => {
    const { data, errors } = await stack.send(
      '{ communesByName(name: "rouen", first: 1) { nom code { postaux } departement { nom region { nom } } missions { totalCount } } }',
    );
    expect(errors).toEqual([]);
    const [rouen] = data.communesByName;
    expect(rouen).toMatchObject({ nom: 'Rouen', code: { postaux: ['76000', '76100'] } });
    expect(rouen.departement).toEqual({ nom: 'Seine-Maritime', region: { nom: 'Normandie' } });
    expect(stack.calls().filter((line) => line.startsWith('work-study'))).toEqual([`${SEARCH}76540 operator`]);
  });

  test('say what the service says under every other name: the list and the service agree', async () => {
    const { data } = await stack.send(`{
      listed: communesByName(name: "Château-Chinon", first: 2) { nom code { insee } departement { codeInsee nom } }
      first: commune(insee: "58062") { nom code { insee } departement { codeInsee nom } }
      second: commune(insee: "58063") { nom code { insee } departement { codeInsee nom } }
    }`);
    expect(data.listed).toEqual([data.first, data.second]);
  });

  test('of a name that nobody has are an empty list, and none of a name that cannot be one', async () => {
    const { data, errors } = await stack.send(`{
      nobody: communesByName(name: "Trifouilly-les-Oies") { nom }
      empty: communesByName(name: " - ") { nom }
      long: communesByName(name: "${'x'.repeat(101)}") { nom }
      many: communesByName(name: "x", first: 101) { nom }
      none: communesByName(name: "x", first: 0) { nom }
    }`);
    expect(data).toEqual({ nobody: [], empty: null, long: null, many: null, none: null });
    expect(errors.map(({ path, extensions }) => `${extensions.code} ${path}`).sort()).toEqual(
      ['empty', 'long', 'many', 'none'].map((field) => `BAD_USER_INPUT ${field}`),
    );
    expect(stack.calls()).toEqual([]);
  });
});
