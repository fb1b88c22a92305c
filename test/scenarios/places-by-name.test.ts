import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

describe.each(USUAL_SHAPE)('Places by name, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  const named = async (text: string, first = 1) => {
    const { data, errors } = await stack.send(
      `{ placesByName(name: ${JSON.stringify(text)}, first: ${first}) { kind code nom } }`,
    );
    expect(errors).toEqual([]);
    return data.placesByName.map(({ kind, code, nom }: Record<string, string>) => `${kind} ${code} ${nom}`);
  };

  test.each([
    ['Bretagne', 'REGION 53 Bretagne'],
    ['brittany', 'REGION 53 Bretagne'],
    ['PACA', "REGION 93 Provence-Alpes-Côte d'Azur"],
    ['Reunion', 'REGION 04 La Réunion'],
    ['ille et vilaine', 'DEPARTMENT 35 Ille-et-Vilaine'],
    ['35', 'DEPARTMENT 35 Ille-et-Vilaine'],
    ['2a', 'DEPARTMENT 2A Corse-du-Sud'],
    ['south corsica', 'DEPARTMENT 2A Corse-du-Sud'],
    ['New Caledonia', 'DEPARTMENT 988 Nouvelle-Calédonie'],
    ['rennes metropole', 'EPCI 243500139 Rennes Métropole'],
    ['243500139', 'EPCI 243500139 Rennes Métropole'],
    ['grand paris', 'EPCI 200054781 Métropole du Grand Paris'],
    ['Rennes', 'COMMUNE 35238 Rennes'],
    ['Saint-Denis (93)', 'COMMUNE 93066 Saint-Denis'],
    ['35000', 'COMMUNE 35238 Rennes'],
  ])('of %j begin with %s, without a call', async (text, first) => {
    expect(await named(text)).toEqual([first]);
    expect(stack.calls()).toEqual([]);
  });

  test('of every kind are in one list, those that fit equally well by their inhabitants', async () => {
    expect(await named('paris', 3)).toEqual(['COMMUNE 75056 Paris', 'DEPARTMENT 75 Paris', 'REGION 11 Île-de-France']);
    const { data } = await stack.send('{ placesByName(name: "rennes", kinds: [EPCI, DEPARTMENT]) { id } }');
    expect(data.placesByName).toEqual([{ id: 'Place:EPCI:243500139' }]);
  });

  test('have inhabitants; a commune its département, and its EPCI that of all its communes', async () => {
    const { data, errors } = await stack.send(`{
      placesByName(name: "rennes", first: 1) { population commune { nom departement { codeInsee } epci { id nom population } } }
      epcisByName(name: "faucigny glieres") { code nom population communes { nom code { insee } epci { code } } }
      commune(insee: "29155") { nom epci { code } }
    }`);
    expect(errors).toEqual([]);
    expect(data.placesByName).toEqual([
      {
        population: 230_890,
        commune: {
          nom: 'Rennes',
          departement: { codeInsee: '35' },
          epci: { id: 'Epci:243500139', nom: 'Rennes Métropole', population: 473_973 },
        },
      },
    ]);
    const [faucigny] = data.epcisByName;
    expect(faucigny).toMatchObject({ code: '200000172', nom: 'CC Faucigny - Glières', population: 28_363 });
    expect(faucigny.communes).toHaveLength(7);
    for (const commune of faucigny.communes) expect(commune.epci).toEqual({ code: '200000172' });
    expect(data.commune).toEqual({ nom: 'Ouessant', epci: null });
    expect(stack.calls()).toEqual([]);
  });

  test('of a name that nothing has are none, and of a name that cannot be one an error', async () => {
    const { data, errors } = await stack.send(`{
      nothing: placesByName(name: "Trifouilly-les-Oies") { nom }
      empty: placesByName(name: " - ") { nom }
      many: epcisByName(name: "x", first: 101) { nom }
    }`);
    expect(data).toEqual({ nothing: [], empty: null, many: null });
    expect(errors.map(({ path, extensions }) => `${extensions.code} ${path}`).sort()).toEqual([
      'BAD_USER_INPUT empty',
      'BAD_USER_INPUT many',
    ]);
    expect(stack.calls()).toEqual([]);
  });
});
