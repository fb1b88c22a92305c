import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fresh, type Harness } from '../support/harness.js';
import { SIRETS, tinyWorld } from '../support/tiny-world.js';

const ORGANIZATIONS = (selection: string) =>
  `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Organization { ${selection} } ... on Company { ${selection.replace(/jobOffers.*/, '').replace('commune { nom }', '')} siret } } }`;

const of = (...organizations: object[]) => ({
  of: organizations.map((parts, index) => ({ __typename: 'Organization', id: String(index), ...parts })),
});

const bakery = {
  siret: SIRETS.bakery,
  sirets: [],
  addressInseeCode: '75107',
  addressPostalCode: '75007',
  addressCity: 'PARIS',
};
const WORK =
  'workplaces { name siret } workplacesComplete jobOffers { complete totalCount nodes { identifier { partnerLabel } } }';

/** Sends a first query, which starts the download of the export, and waits for its index. */
async function exportLoaded({ send, said, service }: Harness): Promise<void> {
  await send(ORGANIZATIONS('workplacesComplete'), { variables: of(bakery) });
  await said('export indexed');
  service.clearCalls();
}

describe('an organization’s workplaces and offers', () => {
  it('come from a search around its commune while the export is loading, and are said not to be complete', () =>
    fresh(async (harness) => {
      const { data, errors } = await harness.send(ORGANIZATIONS(WORK), { variables: of(bakery) });
      expect(errors).toEqual([]);
      expect(data._entities[0]).toEqual({
        workplaces: [
          { name: 'Boulangerie du Pont', siret: SIRETS.bakery },
          { name: 'Fournil Hellowork', siret: SIRETS.bakery },
          { name: 'Boulangerie sans offre', siret: SIRETS.bakery },
        ],
        workplacesComplete: false,
        jobOffers: {
          complete: false,
          totalCount: null,
          nodes: ['offres_emploi_lba', 'France Travail', 'Hellowork'].map((partnerLabel) => ({
            identifier: { partnerLabel },
          })),
        },
      });
      expect(harness.service.callLines().filter((line) => !/export|storage/.test(line))).toEqual([
        'GET /api/geographie/v1/commune/search?code=75056 operator',
        'GET /api/job/v1/search?latitude=48.8588&longitude=2.347&radius=10 operator',
      ]);
    }));

  it('come from the export when it is there: distinct workplaces of all rows, offers without recruiters, and no call', () =>
    fresh(async (harness) => {
      await exportLoaded(harness);
      const { data, errors } = await harness.send(ORGANIZATIONS(WORK), { variables: of(bakery) });
      expect(errors).toEqual([]);
      const [found] = data._entities;
      expect(found.workplaces.map(({ name }: { name: string }) => name).sort()).toEqual([
        'Boulangerie du Pont',
        'Boulangerie sans offre',
        'Fournil Hellowork',
      ]);
      expect(found.workplacesComplete).toBe(true);
      expect(found.jobOffers).toMatchObject({ complete: true, totalCount: 3 });
      expect(
        found.jobOffers.nodes
          .map(({ identifier }: { identifier: { partnerLabel: string } }) => identifier.partnerLabel)
          .sort(),
      ).toEqual(['France Travail', 'Hellowork', 'offres_emploi_lba']);
      expect(harness.service.calls).toEqual([]);
    }));

  it('are said not to be complete where a row of the export cannot be read, and the others are there', () =>
    fresh(async (harness) => {
      const { service, drifts } = harness;
      let file = '';
      const storage = createServer((_request, response) => response.end(file)).listen(0, '127.0.0.1');
      await once(storage, 'listening');
      const { port } = storage.address() as AddressInfo;
      const world = tinyWorld();
      file = JSON.stringify([...world.offers, ...world.recruiters]).replace('"Fournil Hellowork"', 'NaN');
      service.fault({ kind: 'wrong-type', path: '/api/job/v1/export', set: { '/url': `http://127.0.0.1:${port}/` } });
      await exportLoaded(harness);
      storage.close();
      const { data, errors } = await harness.send(ORGANIZATIONS(WORK), {
        variables: of(bakery, { ...bakery, siret: SIRETS.school }),
      });
      expect(errors).toEqual([]);
      const [spoilt, whole] = data._entities;
      expect(spoilt.workplaces.map(({ name }: { name: string }) => name).sort()).toEqual([
        'Boulangerie du Pont',
        'Boulangerie sans offre',
      ]);
      expect(spoilt).toMatchObject({ workplacesComplete: false, jobOffers: { complete: false, totalCount: null } });
      expect(whole).toMatchObject({ workplacesComplete: true, jobOffers: { complete: true } });
      expect(drifts).toEqual(['JobOffer export[]']);
    }));

  it('are those of all its SIRETs, each once; a malformed one counts for nothing', () =>
    fresh(async (harness) => {
      await exportLoaded(harness);
      const sirets = [SIRETS.bakery, SIRETS.school, null, '123', SIRETS.nobody];
      const { data, errors } = await harness.send(ORGANIZATIONS('jobOffers { totalCount } workplaces { siret }'), {
        variables: of({ ...bakery, sirets }, { siret: '123', sirets }, { siret: null, sirets: null }),
      });
      expect(errors).toEqual([]);
      expect(data._entities.map((one: { jobOffers: object }) => one.jobOffers)).toEqual([
        { totalCount: 4 },
        { totalCount: 4 },
        { totalCount: 0 },
      ]);
      expect(harness.service.calls).toEqual([]);
    }));

  it('are empty and complete without a SIRET, and cost no call', () =>
    fresh(async ({ send, service }) => {
      const { data } = await send(ORGANIZATIONS(WORK), { variables: of({ ...bakery, siret: null }) });
      expect(data._entities[0]).toEqual({
        workplaces: [],
        workplacesComplete: true,
        jobOffers: { complete: true, totalCount: 0, nodes: [] },
      });
      expect(service.calls).toEqual([]);
    }));

  it('are empty while the export is not there for an organization whose commune is not known', () =>
    fresh(async ({ send, service }) => {
      const { data } = await send(ORGANIZATIONS('workplaces { name } workplacesComplete'), {
        variables: of({ siret: SIRETS.bakery }),
      });
      expect(data._entities[0]).toEqual({ workplaces: [], workplacesComplete: false });
      expect(service.callLines().filter((line) => line.includes('/job/v1/search'))).toEqual([]);
    }));

  it('fall back to the search for good where the export is refused', () =>
    fresh(async ({ send, service, said }) => {
      service.fault({ kind: 'status', status: 403, path: '/api/job/v1/export' });
      const requested = () => send(ORGANIZATIONS('workplaces { siret } workplacesComplete'), { variables: of(bakery) });
      expect((await requested()).data._entities[0]).toMatchObject({ workplacesComplete: false });
      await said('export not refreshed');
      const { data, errors } = await requested();
      expect(errors).toEqual([]);
      expect(data._entities[0].workplaces).toHaveLength(3);
      expect(service.callLines().filter((line) => line.includes('/export'))).toHaveLength(1);
    }));

  it.each([
    ['has no rows', () => [], 'JobOffer export'],
    ['writes SIRETs as numbers', numbered, 'JobOffer export[].workplace.siret'],
  ])('are never said to be complete by an export that %s', (_what, change, place) =>
    fresh(async ({ send, service, said, drifts, subgraph }) => {
      service.fault({ kind: 'wrong-type', path: '/storage', change });
      await send(ORGANIZATIONS('workplacesComplete'), { variables: of(bakery) });
      await Promise.race([said('export not refreshed'), said('export indexed')]);
      const { data, errors } = await send(ORGANIZATIONS(WORK), { variables: of(bakery) });
      expect(errors).toEqual([]);
      const [found] = data._entities;
      expect(found).toMatchObject({ workplacesComplete: false, jobOffers: { complete: false } });
      expect(found.workplaces).toHaveLength(3);
      expect(drifts).toEqual([place]);
      expect(subgraph.figures(null)).toMatchObject({ exportLoadedAt: null, drift: 1 });
    }),
  );

  it('share one search among organizations of one commune', () =>
    fresh(async ({ send, service }) => {
      const other = { ...bakery, siret: SIRETS.nobody };
      const { data } = await send(ORGANIZATIONS('workplaces { siret }'), { variables: of(bakery, other, bakery) });
      expect(data._entities.map((one: { workplaces: unknown[] }) => one.workplaces.length)).toEqual([3, 0, 3]);
      expect(service.callLines().filter((line) => line.includes('/job/v1/search'))).toHaveLength(1);
    }));

  it('are walked page by page, each offer once', () =>
    fresh(async (harness) => {
      await exportLoaded(harness);
      const page = async (after: string | null) => {
        const arg = after === null ? '' : `, after: "${after}"`;
        const query = ORGANIZATIONS(
          `jobOffers(first: 2${arg}) { nodes { identifier { offerId } } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } }`,
        );
        return (await harness.send(query, { variables: of(bakery) })).data._entities[0].jobOffers;
      };
      const one = await page(null);
      const two = await page(one.pageInfo.endCursor);
      const ids = [...one.nodes, ...two.nodes].map(
        ({ identifier }: { identifier: { offerId: string } }) => identifier.offerId,
      );
      expect(new Set(ids).size).toBe(3);
      expect([one, two].map(({ pageInfo }) => [pageInfo.hasPreviousPage, pageInfo.hasNextPage])).toEqual([
        [false, true],
        [true, false],
      ]);
    }));
});

describe('an organization’s commune', () => {
  it.each([
    ['its code', { addressInseeCode: '94003' }, 'Arcueil'],
    ['the code of an arrondissement', { addressInseeCode: '75107' }, 'Paris'],
    ['the code of a former commune', { addressInseeCode: '01091' }, 'Valserhône'],
    ['postal code and name, without a code', { addressPostalCode: '77120', addressCity: 'AMILLIS' }, 'Amillis'],
    ['postal code and name where the postal code is written as the code too', twice('75003', 'PARIS'), 'Paris'],
    ['a postal code without its zero', { addressPostalCode: '1120', addressCity: 'STE CROIX' }, 'Sainte-Croix'],
    ['a Corsican code', { addressInseeCode: '2A004' }, 'Ajaccio'],
    ['nothing that fits', { addressPostalCode: '00000', addressCity: 'Nulle part' }, null],
  ])('is found by %s', (_case, address, nom) =>
    fresh(async ({ send }) => {
      const { data, errors } = await send(ORGANIZATIONS('commune { nom }'), { variables: of(address) });
      expect(errors).toEqual([]);
      expect(data._entities[0].commune).toEqual(nom === null ? null : { nom });
    }),
  );
});

describe('a company’s workplaces', () => {
  it('come from the export; before that they are empty and said not to be complete', () =>
    fresh(async (harness) => {
      const variables = { of: [SIRETS.bakery, '123', null].map((siret) => ({ __typename: 'Company', siret })) };
      const requested = async () =>
        (await harness.send(ORGANIZATIONS('workplaces { name } workplacesComplete'), { variables })).data._entities;
      expect(await requested()).toEqual([
        { siret: SIRETS.bakery, workplaces: [], workplacesComplete: false },
        { siret: '123', workplaces: [], workplacesComplete: true },
        { siret: null, workplaces: [], workplacesComplete: true },
      ]);
      await exportLoaded(harness);
      expect((await requested())[0].workplaces).toHaveLength(3);
    }));
});

/** An organization's seat whose postal code is also in the field for its INSEE code. */
function twice(code: string, addressCity: string): object {
  return { addressInseeCode: code, addressPostalCode: code, addressCity };
}

/** The rows of an export with SIRETs as JSON numbers. */
function numbered(rows: unknown): unknown {
  const text = JSON.stringify(rows).replace(/"siret":"(\d{14})"/g, '"siret":$1');
  return JSON.parse(text);
}
