import { describe, expect, it } from 'vitest';
import { turnsDuring } from '../../turns-during.js';
import { fresh, sharedHarness } from '../support/harness.js';
import { missionLocale } from '../support/records.js';
import { tinyWorld } from '../support/tiny-world.js';

const harness = sharedHarness();
const run = (test: (on: typeof harness) => Promise<void>) => test(harness);

/** The part of a commune that the tests of drift change. */
interface Spoilt {
  readonly code: { readonly insee: string };
}

const search = (code: string) => `GET /api/geographie/v1/commune/search?code=${code} operator`;

describe('commune(insee)', () => {
  it('fills the département of a commune without a call of its own', () =>
    fresh(async ({ send, service }) => {
      await send('{ commune(insee: "75056") { departement { nom region { nom } academie { nom } } } }');
      expect(service.callLines()).toEqual([search('75056')]);
    }));

  it('needs no call for what the official list knows', () =>
    fresh(async ({ send, service }) => {
      const { data } = await send(
        '{ commune(insee: "69123") { id nom code { insee } departement { codeInsee nom region { nom } } region { codeInsee nom } } }',
      );
      const region = { codeInsee: '84', nom: 'Auvergne-Rhône-Alpes' };
      expect(data.commune).toEqual({
        ...{ id: 'Commune:69123', nom: 'Lyon', code: { insee: '69123' }, region },
        departement: { codeInsee: '69', nom: 'Rhône', region: { nom: region.nom } },
      });
      expect(service.calls).toEqual([]);
    }));

  it.each([
    ['an arrondissement', '75120', 'Paris', '75056'],
    ['a former commune that our list knows', '01091', 'Valserhône', '01033'],
    ['a Corsican code, which the source cannot search', '2A004', 'Ajaccio', '20000'],
  ])('answers the current commune for %s', (_kind, code, nom, lookup) =>
    fresh(async ({ send, service }) => {
      const { data } = await send(`{ commune(insee: "${code}") { nom code { postaux } } }`);
      expect(data).toEqual({ commune: { nom, code: { postaux: expect.arrayContaining([expect.any(String)]) } } });
      expect(service.callLines()).toEqual([search(lookup)]);
    }),
  );

  it.each([['a code that nobody has', '99999']])('is null for %s', async (_kind, code) => {
    expect(await harness.send(`{ commune(insee: "${code}") { nom } }`)).toMatchObject({
      data: { commune: null },
      errors: [],
    });
  });

  it.each([
    ['75001', '94002, Alfortville', '75056, Paris'],
    ['75015', '94015, Bry-sur-Marne', '75056, Paris'],
    ['77166', '77316, Moret-Loing-et-Orvanne', '77175, Évry-Grégy-sur-Yerre or 77217, Grisy-Suisnes'],
    ['20234', '2B234, Piobetta', '2B111, Felce or 2B179, Novale or 2B194, Ortale or 2B208, Perelli and others'],
  ])('refuses %s, which has two meanings, with both and without a call', (code, former, today) =>
    run(async ({ send, service }) => {
      const { data, errors, messages } = await send(`{ commune(insee: "${code}") { nom } }`);
      expect([data, errors]).toEqual([{ commune: null }, ['BAD_USER_INPUT commune']]);
      expect(messages[0]).toContain(`a former INSEE code of what is now ${former}; a postal code of ${today}`);
      expect(service.calls).toEqual([]);
    }),
  );

  it.each(['75115', '75116', '75120'])('answers the city of arrondissement %s, and says so', async (code) => {
    const { data } = await harness.send(
      `{ commune(insee: "${code}") { id nom askedArrondissement { id code nom } departement { nom } } }`,
    );
    expect(data.commune).toMatchObject({
      ...{ id: 'Commune:75056', nom: 'Paris', departement: { nom: 'Paris' } },
      askedArrondissement: { id: `CommuneArrondissement:${code}`, code, nom: `Paris ${code.slice(3)}e Arrondissement` },
    });
    const { data: city } = await harness.send('{ commune(insee: "75056") { askedArrondissement { code } } }');
    expect(city.commune.askedArrondissement).toBeNull();
  });

  it('says what a code in small letters means', async () => {
    const { messages } = await harness.send('{ commune(insee: "2a004") { nom } }');
    expect(messages[0]).toContain('did you mean 2A004, Ajaccio?');
  });

  it('is null for a Corsican code that no commune has, without a call', () =>
    run(async ({ send, service }) => {
      expect((await send('{ commune(insee: "2A999") { nom } }')).data).toEqual({ commune: null });
      expect(service.calls).toEqual([]);
    }));

  it('shares the call of communes that are looked up by the same code', () =>
    fresh(async ({ send, service }) => {
      const { data } = await send(
        '{ a: commune(insee: "2A001") { code { postaux } } b: commune(insee: "2A006") { code { postaux } } c: commune(insee: "2A001") { academie { id } } }',
      );
      const code = { postaux: expect.arrayContaining(['20167']) };
      expect(data).toEqual({ a: { code }, b: { code }, c: { academie: { id: expect.any(String) } } });
      expect(service.callLines()).toEqual([search('20167')]);
    }));
});

describe('communes(code)', () => {
  it('answers all that the source finds, whatever the code means', async () => {
    const { data } = await harness.send(
      '{ postal: communes(code: "77120") { nom } two: communes(code: "77166") { nom } none: communes(code: "00000") { nom } }',
    );
    expect(data).toEqual({
      postal: [{ nom: 'Amillis' }, { nom: 'Beautheil-Saints' }],
      two: [{ nom: 'Amillis' }, { nom: 'Grisy-Suisnes' }],
      none: [],
    });
  });
});

describe('departements and missionsLocales', () => {
  it('requests those around a point in the source’s words', () =>
    run(async ({ send, service }) => {
      const { data } = await send('{ missionsLocales(latitude: 48.85, longitude: 2.35, radius: 12.5) { nom } }');
      expect(data.missionsLocales).toEqual([{ nom: 'DE PARIS' }]);
      expect(service.callLines()).toEqual([
        'GET /api/geographie/v1/mission-locale?latitude=48.85&longitude=2.35&radius=12.5 operator',
      ]);
    }));
});

describe('a commune by reference', () => {
  const byReference = (selection: string) => ({
    source: `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Commune { ${selection} } } }`,
    of: (...codes: unknown[]) => ({ of: codes.map((insee) => ({ __typename: 'Commune', code: { insee } })) }),
  });

  it('costs no call for what is not selected', () =>
    fresh(async ({ send, service }) => {
      const { source, of } = byReference('code { insee }');
      const { data } = await send(source, { variables: of('75056', '2A004') });
      expect(data._entities).toEqual([{ code: { insee: '75056' } }, { code: { insee: '2A004' } }]);
      expect(service.calls).toEqual([]);
    }));

  it('is requested once, however many of its fields are selected, and equal ones once', () =>
    fresh(async ({ send, service }) => {
      const { source, of } = byReference(
        'nom code { insee postaux } departement { nom } missionLocale { nom } localisation { centre { type } }',
      );
      const { data } = await send(source, { variables: of('94003', '94003') });
      expect(data._entities[0]).toEqual(data._entities[1]);
      expect(data._entities[0]).toMatchObject({ nom: 'Arcueil', code: { postaux: ['94110'] }, missionLocale: null });
      expect(service.callLines()).toEqual([search('94003')]);
    }));

  it('has null fields when it turns out to be unknown, and is null when its code is malformed', () =>
    fresh(async ({ send }) => {
      const { source, of } = byReference('nom region { nom }');
      const { data, errors } = await send(source, { variables: of('99999', 'x', null) });
      expect(data._entities).toEqual([{ nom: null, region: null }, null, null]);
      expect(errors).toEqual([]);
    }));
});

describe('a source that drifts', () => {
  it('still finds a commune among rows that cannot be read', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', change: (body) => (spoil(body) as unknown[]).toReversed() });
      const { data, errors } = await send('{ commune(insee: "2A004") { code { postaux } } }');
      expect(data).toEqual({ commune: { code: { postaux: expect.arrayContaining(['20167']) } } });
      expect(errors).toEqual([]);
    }));

  it.each<[string, (row: Spoilt) => unknown]>([
    ['INSEE codes are numbers', (row) => ({ ...row, code: { ...row.code, insee: 31113 } })],
    ['INSEE codes have another key', (row) => ({ ...row, code: { codeInsee: row.code.insee, postaux: [] } })],
    ['INSEE codes have another form', (row) => ({ ...row, code: { ...row.code, insee: `FR-${row.code.insee}` } })],
    ['rows are null', () => null],
    ['rows are texts', () => 'x'],
  ])('is not believed that a code is unknown where %s: the next call is made', (_what, change) =>
    fresh(async ({ send, drifts, service }) => {
      service.fault({ kind: 'wrong-type', times: 1, change: (body) => (body as Spoilt[]).map(change) });
      const query = '{ commune(insee: "94003") { code { postaux } } }';
      const { data, errors } = await send(query);
      expect(data).toEqual({ commune: { code: { postaux: null } } });
      expect(errors).toEqual(['UPSTREAM_INVALID_RESPONSE commune.code.postaux']);
      expect(drifts).toContain('Commune[]');
      expect((await send(query)).data).toEqual({ commune: { code: { postaux: ['94110'] } } });
      expect(service.calls).toHaveLength(2);
    }),
  );

  it('is not believed that a code is unknown where only its row cannot be read', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', set: { '/0/code/insee': ['77002'] } });
      const { data, errors } = await send(
        '{ wrong: commune(insee: "77120") { academie { id } } communes(code: "77120") { nom } }',
      );
      expect(data).toEqual({ wrong: { academie: null }, communes: [{ nom: 'Amillis' }, { nom: 'Beautheil-Saints' }] });
      expect(errors).toEqual(['UPSTREAM_INVALID_RESPONSE wrong.academie']);
    }));

  it.each([
    ['départements', '{ list: departements { nom } }', 'Departement[]'],
    ['missions locales', '{ list: missionsLocales { nom } }', 'MissionLocale[]'],
  ])('is believed in no empty list of all %s: nobody gets it, and the next call is made', (_what, source, place) =>
    fresh(async ({ send, drifts, service }) => {
      service.fault({ kind: 'wrong-type', times: 1, change: () => [] });
      const { data, errors } = await send(source);
      expect({ data, errors, drifts }).toEqual({
        data: { list: null },
        errors: ['UPSTREAM_INVALID_RESPONSE list'],
        drifts: [place],
      });
      expect((await send(source)).data.list).toHaveLength(2);
      expect(service.calls).toHaveLength(2);
    }),
  );

  it('may have no missions locales around a point', () =>
    fresh(async ({ send, drifts }) => {
      const { data, errors } = await send('{ missionsLocales(latitude: 0, longitude: 0) { nom } }');
      expect({ data, errors, drifts }).toEqual({ data: { missionsLocales: [] }, errors: [], drifts: [] });
    }));

  /** The second commune gets a number for a name and no région, the third becomes a text. */
  function spoil(body: unknown): unknown {
    const [first, second] = body as [object, object];
    const { region: _left, ...rest } = { ...second, nom: 77 } as { region?: unknown };
    return [first, rest, 'Alata'];
  }
});

it('keeps the order of the source for missions locales', () =>
  fresh(
    async ({ send }) => {
      const { data } = await send('{ missionsLocales { id } }');
      expect(data.missionsLocales).toEqual([3, 1, 2].map((number) => ({ id: `MissionLocale:${number}` })));
    },
    tinyWorld({ missionsLocales: [3, 1, 2].map((id) => missionLocale({ id })) }),
  ));

describe('communesByName', () => {
  it('leaves a turn of the event loop to others between two searches of one operation', async () => {
    await harness.send('{ communesByName(name: "built") { nom } }');
    const searches = Array.from({ length: 30 }, (_, at) => `a${at}: communesByName(name: "saint", first: 1) { nom }`);
    let data: object = {};
    const turns = await turnsDuring(async () => {
      ({ data } = await harness.send(`{ ${searches.join(' ')} }`));
    });
    expect(Object.values(data)).toEqual(searches.map(() => [{ nom: 'Le Saint' }]));
    expect(turns).toBeGreaterThan(10);
  });
});
