import { describe, expect, it } from 'vitest';
import { fresh, sharedHarness } from '../support/harness.js';

const harness = sharedHarness();

const MISSIONS = (selection: string) =>
  `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Mission { id ${selection} } } }`;

const of = (...addresses: object[]) => ({
  of: addresses.map((address, index) => ({ __typename: 'Mission', id: String(index), ...address })),
});

const paris = {
  postalCode: '75020',
  city: 'Paris',
  departmentCode: '75',
  country: 'FR',
  location: { lon: 2.347, lat: 48.8588 },
};

describe('Mission.commune', () => {
  it('costs one call for each distinct commune, none for an address without one', () =>
    fresh(async ({ send, service }) => {
      const variables = of(
        paris,
        { ...paris, city: 'PARIS 20', location: null },
        { postalCode: '94110', city: 'Arcueil' },
        { city: 'Nowhere' },
      );
      const { data, errors } = await send(MISSIONS('commune { nom code { insee } }'), { variables });
      expect(errors).toEqual([]);
      expect(data._entities.map((mission: { commune: unknown }) => mission.commune)).toEqual([
        { nom: 'Paris', code: { insee: '75056' } },
        { nom: 'Paris', code: { insee: '75056' } },
        { nom: 'Arcueil', code: { insee: '94003' } },
        null,
      ]);
      expect(service.callLines()).toEqual([
        'GET /api/geographie/v1/commune/search?code=75056 operator',
        'GET /api/geographie/v1/commune/search?code=94003 operator',
      ]);
    }));

  it('is looked for in every French territory, by whatever name its country is written', () =>
    fresh(async ({ send, service }) => {
      const pointeAPitre = { postalCode: '97110', city: 'Pointe-à-Pitre' };
      const variables = of(
        ...['FRA', 'GLP', 'Guadeloupe', 'Belgique'].map((country) => ({ ...pointeAPitre, country })),
      );
      const { data, errors } = await send(MISSIONS('communeMatch { method candidates { nom } }'), { variables });
      expect(errors).toEqual([]);
      const found = { method: 'POSTAL_CODE', candidates: [{ nom: 'Pointe-à-Pitre' }] };
      expect(data._entities.map((mission: { communeMatch: object }) => mission.communeMatch)).toEqual([
        found,
        found,
        found,
        { method: 'NONE', candidates: [] },
      ]);
      expect(service.calls).toEqual([]);
    }));

  it('shares the call of two Corsican communes with one postal code', () =>
    fresh(async ({ send, service }) => {
      const variables = of({ postalCode: '20167', city: 'Afa' }, { postalCode: '20167', city: 'Alata' });
      const { data } = await send(MISSIONS('commune { code { insee } }'), { variables });
      expect(data._entities.map((mission: { commune: { code: object } }) => mission.commune.code)).toEqual([
        { insee: '2A001' },
        { insee: '2A006' },
      ]);
      expect(service.callLines()).toEqual(['GET /api/geographie/v1/commune/search?code=20167 operator']);
    }));

  it('shares its calls with other operations of the same request', () =>
    fresh(async ({ send, service }) => {
      const request = {};
      const variables = of(paris);
      await Promise.all([1, 2].map(() => send(MISSIONS('commune { nom }'), { variables, request })));
      expect(service.calls).toHaveLength(1);
    }));

  it('is null when the source does not know the commune that the address means', async () => {
    const { data, errors } = await harness.send(MISSIONS('commune { nom } communeMatch { method }'), {
      variables: of({ postalCode: '13001', city: 'Marseille' }),
    });
    expect(errors).toEqual([]);
    expect(data._entities[0]).toMatchObject({
      commune: null,
      communeMatch: { method: expect.stringMatching(/^(POSTAL_CODE|NAME)$/) },
    });
  });

  it('fails by itself when geography is down: the match still stands', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'status', status: 503 });
      const { data, errors } = await send(
        MISSIONS('commune { nom } communeMatch { method candidates { insee nom } }'),
        {
          variables: of(paris),
        },
      );
      expect(data._entities[0]).toMatchObject({
        id: '0',
        commune: null,
        communeMatch: { candidates: [{ insee: '75056', nom: 'Paris' }] },
      });
      expect(errors).toEqual(['UPSTREAM_UNAVAILABLE _entities.0.commune']);
    }));
});

describe('Mission.communeMatch', () => {
  it('says how the commune was found, without a call', async () => {
    const variables = of(
      paris,
      { postalCode: '77120', city: null },
      { postalCode: '77120', city: 'Amillis' },
      { ...paris, country: 'BE' },
    );
    const { data } = await harness.send(MISSIONS('communeMatch { method candidates { insee } }'), { variables });
    const matches = data._entities.map((mission: { communeMatch: { method: string } }) => mission.communeMatch);
    expect(matches.map((match: { method: string }) => match.method)).toEqual([
      expect.stringMatching(/^POINT/),
      'AMBIGUOUS',
      'NAME',
      'NONE',
    ]);
    expect(matches[1].candidates.length).toBeGreaterThan(1);
    expect(harness.service.calls).toEqual([]);
  });
});
