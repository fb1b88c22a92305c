import { describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { storeId } from '../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { documentedRows, selectionOf, setAt, valuesAt } from './support/documented.js';
import { CREATE, offerInput, UPDATE, withKey } from './support/offer-inputs.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** What the documentation says of the work-study service and of all its resources: work-study 12.1 and 12.2. */

const rules = stackOfRules({ sandbox: { era: 'seed', world: tinyWorld() } });

const COURSE = '049510P01118838776490001178615112600012-49099#L01';

describe('the service', () => {
  test('WS-2 one base address serves the whole service', async () => {
    const { trace, errors } = await rules.send(
      `query ($course: ID!) {
        commune(insee: "94003") { nom } departements { nom } organismes { totalCount } formation(id: $course) { commune { nom } }
        certifications(rncp: "RNCP500") { totalCount } jobOffer(id: "${storeId(1)}") { isDelegated }
      }`,
      { variables: { course: 'key-2#L01' } },
    );
    expect(errors).toEqual([]);
    const { url, origin, calls, unknownPaths } = rules.sandbox.workStudy;
    expect(calls.every((call) => `${origin}${call.url}`.startsWith(`${url}/`))).toBe(true);
    expect(calls).toHaveLength(trace?.totals.callsMade ?? 0);
    expect(unknownPaths).toEqual([]);
  });

  test('WS-3 bodies are JSON, those that are sent and those that come back', async () => {
    const { workStudy, keys } = rules.sandbox;
    const input = offerInput({ offer: { title: 'Pâtissière' } });
    const { createJobOffer } = await rules.read(CREATE, withKey(keys.workStudy.alice, { input }));
    expect(workStudy.calls.at(-1)?.body).toMatchObject({ offer: { title: 'Pâtissière' } });
    expect(createJobOffer.offerId).toMatch(/^[0-9a-f]{24}$/);
    for (const path of [
      '/job/v1/search',
      '/certification/v1?identifiant.rncp=RNCP500',
      '/geographie/v1/departement',
      '/job/v1/export',
    ]) {
      const response = await fetch(`${workStudy.url}${path}`, {
        headers: { authorization: `Bearer ${keys.workStudy.bob}` },
      });
      expect(response.headers.get('content-type'), path).toMatch(/^application\/json/);
      await response.body?.cancel();
    }
  });

  test('WS-4 offers are searched, published, updated and exported', async () => {
    const { alice } = rules.sandbox.keys.workStudy;
    await rules.read('{ jobSearch { truncated } jobOfferExport { url } }');
    const { createJobOffer } = await rules.read(CREATE, withKey(alice, { input: offerInput() }));
    rules.sandbox.workStudy.advance(11 * 60_000);
    await rules.read(
      UPDATE,
      withKey(alice, { id: createJobOffer.offerId, input: offerInput({ offer: { status: 'FILLED' } }) }),
    );
    expect(rules.stack.calls()).toEqual([
      'work-study GET /api/job/v1/export operator',
      'work-study GET /api/job/v1/search operator',
      'work-study POST /api/job/v1/offer alice',
      `work-study PUT /api/job/v1/offer/${createJobOffer.offerId} alice`,
    ]);
  });

  test('WS-5 training courses are listed and found by their key', async () => {
    const { formations, formation } = await rules.read(
      'query ($id: ID!) { formations { nodes { identifiant { cleMinistereEducatif } } } formation(id: $id) { identifiant { cleMinistereEducatif } } }',
      { variables: { id: COURSE } },
    );
    expect(formations.nodes).toContainEqual(formation);
    expect(formation.identifiant.cleMinistereEducatif).toBe(COURSE);
    expect(rules.stack.calls()).toHaveLength(2);
  });

  test('WS-7 organisations are listed and matched', async () => {
    const { organismes, organisme } = await rules.read(
      `{ organismes { nodes { identifiant { siret } } } organisme(siret: "${SIRETS.school}") { resultat { organisme { identifiant { siret } } } } }`,
    );
    expect(organismes.nodes).toContainEqual(organisme.resultat.organisme);
  });

  test('WS-8 communes, départements and missions locales are there', async () => {
    const { commune, departements, missionsLocales } = await rules.read(
      '{ commune(insee: "75056") { nom } departements { codeInsee } missionsLocales { id } }',
    );
    expect(commune).toEqual({ nom: 'Paris' });
    expect(departements).toEqual([{ codeInsee: '75' }, { codeInsee: '2A' }]);
    expect(missionsLocales.map(({ id }: { id: string }) => id)).toEqual(['MissionLocale:226', 'MissionLocale:374']);
  });
});

interface Reading {
  readonly resource: string;
  /** Route of the source, and the path of the records in its response. */
  readonly path: string;
  readonly at?: string;
  /** The root field, and the path of the nodes in its response. Each reading has its own filter, so none is cached. */
  readonly field: string;
  readonly nodes?: string;
}

const READINGS: readonly Reading[] = [
  {
    resource: 'Certification',
    path: '/certification/v1?identifiant.cfd=46T31203',
    field: 'certifications(cfd: "46T31203", first: 100)',
    nodes: 'nodes',
  },
  { resource: 'Commune', path: '/geographie/v1/commune/search?code=77433', field: 'communes(code: "77433")' },
  {
    resource: 'MissionLocale',
    path: '/geographie/v1/mission-locale?latitude=48.88&longitude=2.37&radius=9',
    field: 'missionsLocales(latitude: 48.88, longitude: 2.37, radius: 9)',
  },
  {
    resource: 'JobOffer',
    path: '/job/v1/search?romes=M1805',
    at: 'jobs',
    field: 'jobSearch(romes: "M1805")',
    nodes: 'jobs',
  },
  {
    resource: 'JobRecruiter',
    path: '/job/v1/search?opco=OPCO%202i',
    at: 'recruiters',
    field: 'jobSearch(opco: "OPCO 2i")',
    nodes: 'recruiters',
  },
];

describe('values', () => {
  test.each(READINGS)(
    'WS-14 what may be null is there all the same, and null without an error: $resource',
    async (reading) => {
      const rows = documentedRows(reading.resource).filter(
        ({ nullable, presence }) => nullable === true && presence === 'required',
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const record of recordsOf(await raw(reading), reading)) {
        for (const { path } of rows) expect(valuesAt(record, path), path).not.toContain(undefined);
      }
      // One copy of the record for each documented null.
      rules.sandbox.workStudy.fault({
        kind: 'wrong-type',
        path: `/api${reading.path.split('?')[0]}`,
        change: (body) => replaced(body, reading, ([record]) => rows.map(({ path }) => withNull(record, path))),
      });
      const nodes = nodesOf(await rules.read(`{ ${requested(reading)} }`), reading);
      expect(nodes).toHaveLength(rows.length);
      for (const [index, { path, graphql }] of rows.entries()) {
        for (const value of valuesAt(nodes[index], graphql ?? '')) expect(value, path).toBeNull();
      }
    },
  );

  test('WS-15 every date is ISO 8601 with an offset and comes out unchanged', async () => {
    const readings: readonly Reading[] = [
      {
        resource: 'Certification',
        path: '/certification/v1?identifiant.rncp=RNCP37098',
        field: 'certifications(rncp: "RNCP37098")',
        nodes: 'nodes',
      },
      {
        resource: 'JobOffer',
        path: '/job/v1/search?departements=75',
        at: 'jobs',
        field: 'jobSearch(departements: "75")',
        nodes: 'jobs',
      },
      { resource: 'JobOfferExport', path: '/job/v1/export', field: 'jobOfferExport' },
    ];
    for (const reading of readings) {
      const sent = recordsOf(await raw(reading), reading);
      // Of the two links a minute of the operator's key, the index of the export and a test above take one each.
      const got = nodesOf(
        await rules.read(`{ ${requested(reading)} }`, withKey(rules.sandbox.keys.workStudy.alice)),
        reading,
      );
      for (const { path, graphql } of documentedRows(reading.resource).filter(({ kind }) => kind === 'datetime')) {
        const values = valuesAt(got, graphql ?? '');
        expect(values.length, path).toBeGreaterThan(0);
        expect(values, path).toEqual(valuesAt(sent, path));
        for (const value of values)
          if (value !== null) expect(value, path).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
      }
    }
  });

  test('WS-16, WS-17, WS-18 days get 00:00:00 when they open, 23:59:59 when they close, in the Paris offset of the day', async () => {
    const { certifications } = await rules.read(
      `{ certifications(cfd: "46T31204") { nodes {
        baseLegale { cfd { abrogation } } periodeValidite { cfd { ouverture } rncp { activation finEnregistrement } }
      } } }`,
    );
    expect(certifications.nodes[0]).toEqual({
      baseLegale: { cfd: { abrogation: '2028-07-25T23:59:59.000+02:00' } },
      periodeValidite: {
        cfd: { ouverture: '2014-09-01T00:00:00.000+02:00' },
        rncp: { activation: '2022-11-16T00:00:00.000+01:00', finEnregistrement: '2028-01-25T23:59:59.000+01:00' },
      },
    });
  });
});

/** The response of the source itself. */
async function raw({ path }: Reading): Promise<unknown> {
  const { workStudy, keys } = rules.sandbox;
  const response = await fetch(`${workStudy.url}${path}`, {
    headers: { authorization: `Bearer ${keys.workStudy.bob}` },
  });
  return response.json();
}

function recordsOf(body: unknown, { at }: Reading): readonly unknown[] {
  return (at === undefined ? [body] : valuesAt(body, at)).flat();
}

/** The body with other records in place of its own. */
function replaced(body: unknown, reading: Reading, replace: (records: readonly unknown[]) => unknown[]): unknown {
  const records = replace(recordsOf(body, reading));
  return reading.at === undefined ? records : { ...(body as Json), [reading.at]: records };
}

/** A copy with a null at this path and its own identifier, because equal offers are merged (work-study 7.1). */
function withNull(record: unknown, path: string): unknown {
  const copy = structuredClone(record);
  if (valuesAt(copy, 'identifier.id')[0] !== undefined) setAt(copy, 'identifier.id', `copy ${path}`);
  setAt(copy, path, null);
  return copy;
}

function requested({ field, nodes, resource }: Reading): string {
  const selection = selectionOf(resource);
  return `${field} { ${nodes === undefined ? selection : `${nodes} { ${selection} }`} }`;
}

function nodesOf(data: Record<string, unknown>, { nodes }: Reading): readonly unknown[] {
  return Object.values(data).flatMap((value) => (nodes === undefined ? [value] : valuesAt(value, nodes)).flat());
}
