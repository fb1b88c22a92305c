import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exportSettled, ONE_SHAPE, type Stack, startStack, USUAL_SHAPE } from './stack.js';

const LINK = '/api/job/v1/export';

const QUERY = `query ($after: String, $rome: [String!], $department: [String!]) {
  exportedOffers(first: 3, after: $after, where: { rome: $rome, department: $department }) {
    totalCount asOf complete leavesOut pageInfo { hasNextPage endCursor }
    edges { distance cursor node { id offer { title romeCodes } workplace { siret commune { nom departement { codeInsee } } } } }
    counts(by: [DEPARTMENT]) { total groups { key label count } others }
  }
}`;

interface Offer {
  readonly offer: { readonly title: string };
  readonly identifier: { readonly partnerLabel: string };
  readonly workplace: { readonly name: string | null; readonly siret: string | null };
}

interface Edge {
  readonly node: Offer;
  readonly sameAs: readonly Offer[];
  readonly reason: readonly string[];
}

interface Post extends Pick<Edge, 'reason'> {
  readonly offers: readonly Offer[];
}

describe.each(USUAL_SHAPE)('Offers of the export, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      shape,
      sandbox: { scale: 0.2 },
      prepare: ({ workStudy }) => workStudy.repeatOffers(5),
    });
  });
  afterAll(() => stack.close());

  test('are listed and counted by trade and département, with every join', async () => {
    const { data, errors } = await stack.send(QUERY, { variables: { rome: ['M18', 'D1', 'N'] } });
    expect(errors).toEqual([]);
    const all = data.exportedOffers;
    expect(all).toMatchObject({ complete: true, leavesOut: expect.stringContaining('employment agency') });
    const [largest] = all.counts.groups;
    const variables = { rome: ['M18', 'D1', 'N'], department: largest.key };
    const { exportedOffers: some } = (await stack.send(QUERY, { variables })).data;
    expect(some.totalCount).toBe(largest.count);
    for (const { node, distance } of some.edges) {
      expect(distance).toBeNull();
      expect(node.workplace.commune.departement.codeInsee).toBe(largest.key[0]);
      expect(node.offer.romeCodes.some((code: string) => /^(M18|D1|N)/.test(code))).toBe(true);
    }
  });

  test('are of the day of the export wherever they are read without a call', async () => {
    const query = '{ exportedOffers(first: 3) { asOf nodes { id } } }';
    const { data } = await stack.send(query);
    const { asOf } = data.exportedOffers;
    const stored = [{ service: 'work-study', asOf }];
    const ageOf = ({ headers }: Response) => Number(headers.get('age'));
    const seconds = (Date.now() - Date.parse(asOf)) / 1000;
    const post = (headers: Record<string, string>, of = query) =>
      fetch(`${stack.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: of }),
      });
    stack.forgetCalls();
    const traced = await post({ 'x-passerelle-trace': '1' });
    expect(Math.abs(ageOf(traced) - seconds)).toBeLessThan(60);
    const { extensions } = (await traced.json()) as { extensions: { passerelle: object } };
    expect(extensions.passerelle).toMatchObject({ stored, calls: [], totals: { callsMade: 0, savedByCache: 0 } });
    const dry = (await (await post({ 'x-passerelle-dry-run': '1' })).json()) as typeof extensions & {
      extensions: { passerelle: { price: object } };
    };
    expect(dry.extensions.passerelle.price).toMatchObject({ total: 0, stored });
    for (const pages of ['', '&pages=all']) {
      const file = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'xlsx' })}${pages}`);
      expect(Math.abs(ageOf(file) - seconds)).toBeLessThan(60);
      const about = strFromU8(
        unzipSync(new Uint8Array(await file.arrayBuffer()))['xl/worksheets/sheet2.xml'] ?? new Uint8Array(),
      );
      expect(about).toMatch(
        /Sources<\/t><\/is><\/c><c r="B\d+" t="inlineStr" s="5"><is><t xml:space="preserve">work-study</,
      );
      expect(about).toContain('Data of work-study as of (UTC)');
    }
    expect(stack.calls()).toEqual([]);
    const called = await post({ 'x-passerelle-trace': '1' }, '{ missions(first: 1) { totalCount } }');
    expect(called.headers.has('age')).toBe(false);
    expect(JSON.stringify(await called.json())).not.toContain('stored');
  });

  test('are counted in a file that says of how many groups it has the largest', async () => {
    const fileOf = async (query: string) => {
      const response = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv' })}`);
      await response.text();
      const { headers } = response;
      return [headers.get('content-disposition'), headers.get('x-passerelle-incomplete')];
    };
    const { data } = await stack.send('{ exportedOfferCounts(by: [ROME]) { groupCount } }');
    const { groupCount } = data.exportedOfferCounts;
    expect(groupCount).toBeGreaterThan(3);
    expect(await fileOf('{ exportedOfferCounts(by: [ROME], top: 3) { groups { key count } } }')).toEqual([
      'attachment; filename="groups-incomplete.csv"',
      `the 3 largest of ${groupCount} groups; a larger top gives more`,
    ]);
    expect(await fileOf('{ exportedOfferCounts(by: [ROME], top: 1000) { groups { key count } } }')).toEqual([
      'attachment; filename="groups.csv"',
      null,
    ]);
  });

  test('have values that filters take back, and in a file of pairs a column for each key', async () => {
    const groups = 'groups { key label value count }';
    const query = `{ exportedOfferCounts(by: [DIPLOMA, REMOTE], top: 1000) { ${groups} } months: exportedOfferCounts(by: [MONTH]) { ${groups} } }`;
    const { data } = await stack.send(query);
    for (const { value, label } of data.months.groups) expect([value, label]).toEqual([[null], [expect.any(String)]]);
    const sent = data.exportedOfferCounts.groups.filter(({ value }: { value: unknown[] }) => !value.includes(null));
    expect(sent.length).toBeGreaterThan(2);
    for (const { value, count } of sent.slice(0, 5)) {
      const where = { diploma: value[0], remote: value[1] };
      const back = await stack.send(
        'query ($where: ExportedOfferWhere) { exportedOffers(first: 0, where: $where) { totalCount } }',
        { variables: { where } },
      );
      expect(back.data.exportedOffers.totalCount).toBe(count);
    }
    const none = data.exportedOfferCounts.groups.find(({ key }: { key: unknown[] }) => key[0] === null);
    expect(none).toMatchObject({ value: [null, none.key[1]], label: ['Non renseigné', expect.any(String)] });
    const file = await fetch(
      `${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv' })}&path=exportedOfferCounts.groups[]`,
    );
    expect((await file.text()).replace('\ufeff', '').split('\r\n')[0]).toMatch(
      /key\.1[,;]key\.2[,;]label\.1[,;]label\.2[,;]value\.1[,;]value\.2[,;]count/,
    );
  });

  test('of a commune are those that the filters find', async () => {
    stack.forgetCalls();
    const { data } = await stack.send(
      '{ exportedOfferCounts(by: [COMMUNE]) { groups { key } } exportedRecruiters(first: 1) { totalCount nodes { id } } }',
    );
    const insee = data.exportedOfferCounts.groups.find(({ key }: { key: (string | null)[] }) => key[0] !== null).key[0];
    const both = await stack.send(
      `{ commune(insee: "${insee}") { exportedOffers(first: 50) { totalCount nodes { id } }
         around: exportedOffers(where: { radius: 20 }) { totalCount edges { distance } }
         widened: exportedOffers(where: { radius: 1, atLeast: 40 }) { radius totalCount } }
         exportedOffers(first: 50, where: { insee: "${insee}" }) { totalCount nodes { id } }
         near: exportedOffers(where: { near: { insee: "${insee}" }, radius: 20 }) { totalCount edges { distance } }
         widened: exportedOffers(where: { near: { insee: "${insee}" }, radius: 1, atLeast: 40 }) { radius totalCount }
         counted: exportedOfferCounts(by: [ROME], where: { near: { insee: "${insee}" }, radius: 1, atLeast: 40 }) { total } }`,
    );
    expect(both.errors).toEqual([]);
    expect(both.data.commune.exportedOffers).toEqual(both.data.exportedOffers);
    expect(both.data.commune.around).toEqual(both.data.near);
    expect(both.data.commune.widened).toEqual(both.data.widened);
    expect(both.data.widened.totalCount).toBeGreaterThanOrEqual(40);
    expect(both.data.counted.total).toBe(both.data.widened.totalCount);
    expect(both.data.widened.radius).toBeGreaterThan(1);
    expect(data.exportedRecruiters).toMatchObject({ nodes: [{ id: expect.any(String) }] });
    expect(stack.calls()).toEqual([]);
  });

  test.each(['97501', '98818'])(
    'are found around a commune of a collectivity (%s), whose centre the source knows',
    async (insee) => {
      const { data, errors } = await stack.send(
        `{ commune(insee: "${insee}") { localisation { centre { coordinates } } exportedOffers(where: { radius: 2000 }) { totalCount edges { distance } } } }`,
      );
      expect(errors).toEqual([]);
      const { localisation, exportedOffers } = data.commune;
      const [longitude, latitude] = localisation.centre.coordinates;
      const same = await stack.send(
        `{ exportedOffers(where: { near: { position: { latitude: ${latitude}, longitude: ${longitude} } }, radius: 2000 }) { totalCount edges { distance } } }`,
      );
      expect(exportedOffers).toEqual(same.data.exportedOffers);
      const near = await stack.send(
        `{ exportedOffers(where: { near: { insee: "${insee}" }, radius: 2000 }) { totalCount edges { distance } }
           exportedOfferCounts(where: { near: { insee: "${insee}" }, radius: 2000 }, by: [ROME]) { total } }`,
      );
      expect(near.data).toEqual({ ...same.data, exportedOfferCounts: { total: exportedOffers.totalCount } });
    },
  );

  test('are found around a collectivity by one call that is priced, and around other communes by none', async () => {
    const around = (insee: string) => `{ exportedOffers(where: { near: { insee: "${insee}" } }) { totalCount } }`;
    for (const [insee, calls] of [
      ['97502', 1],
      ['06088', 0],
    ] as const) {
      const price = await stack.send(around(insee), { headers: { 'x-passerelle-dry-run': '1' } });
      expect(price.trace).toMatchObject({ price: { total: calls } });
      stack.forgetCalls();
      expect((await stack.send(around(insee))).errors).toEqual([]);
      expect(stack.calls()).toHaveLength(calls);
    }
  });

  test('are as old as the export wherever workplaces are read from it, from memory too', async () => {
    const query = '{ missions(first: 20) { nodes { organization { workplaces { name } } } } }';
    const { data } = await stack.send('{ exportedOffers(first: 0) { asOf } }');
    for (const _ of ['executed', 'from the cache', 'from memory']) {
      const { headers } = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query })}`);
      const age = Number(headers.get('age'));
      expect(Math.abs(age - (Date.now() - Date.parse(data.exportedOffers.asOf)) / 1000)).toBeLessThan(60);
      // Caches on the way subtract the age: the response is fresh for as long as missions are.
      const [, maxAge = ''] = /^public, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '') ?? [];
      expect(Number(maxAge) - age).toBeGreaterThan(20);
      expect(Number(maxAge) - age).toBeLessThanOrEqual(66);
    }
  });

  test('of an organization are those under its SIRETs, and those of a certification those of its trades', async () => {
    const { data: known } = await stack.send(`{
      exportedOfferCounts(by: [SIRET]) { groups { key } } byTrade: exportedOfferCounts(by: [ROME], top: 3) { groups { key } } }`);
    const sirets: string[] = known.exportedOfferCounts.groups.map(({ key: [siret] }: { key: string[] }) => siret);
    const registered = sirets.filter((siret) => /^\d{14}$/.test(siret)).slice(0, 12);
    const { data: organizations } = await stack.send(
      `{ ${registered
        .map((siret, place) => `o${place}: organization(siret: "${siret}") { siret sirets }`)
        .join(' ')} }`,
    );
    const organization = Object.values(
      organizations as Record<string, { siret: string; sirets: string[] } | null>,
    ).find((one) => one !== null);
    const romes = known.byTrade.groups.map(({ key: [rome] }: { key: string[] }) => rome);
    const list = 'totalCount counts(by: [SIRET, ROME]) { groups { key count } } nodes { id }';
    const { data, errors } = await stack.send(
      `query ($siret: SIRET!, $sirets: [SIRET!], $romes: [ROMECode!]) {
        organization(siret: $siret) { exportedOffers { ${list} } }
        exportedOffers(where: { siret: $sirets }) { ${list} }
        certifications(romes: $romes, first: 1) {
          nodes { domaines { rome { rncp { code } } } exportedOffers(where: { department: ["06", "13", "59"] }) { ${list} } } }
      }`,
      {
        variables: {
          siret: organization?.siret,
          sirets: [organization?.siret, ...(organization?.sirets ?? [])],
          romes,
        },
      },
    );
    expect(errors).toEqual([]);
    expect(data.organization.exportedOffers).toEqual(data.exportedOffers);
    expect(data.exportedOffers.totalCount).toBeGreaterThan(0);
    const [certification] = data.certifications.nodes;
    stack.forgetCalls();
    const same = await stack.send(
      `query ($rome: [String!]) { exportedOffers(where: { rome: $rome, department: ["06", "13", "59"] }) { ${list} } }`,
      { variables: { rome: certification.domaines.rome.rncp.map(({ code }: { code: string }) => code) } },
    );
    expect(certification.exportedOffers).toEqual(same.data.exportedOffers);
    expect(certification.exportedOffers.totalCount).toBeGreaterThan(0);
    expect(stack.calls()).toEqual([]);
  });

  test('are one row for each post where that is asked for, with the other offers and the reason', async () => {
    stack.forgetCalls();
    const { data, errors } = await stack.send(`query ($by: [ExportedCountKey!]! = [PARTNER]) {
      all: exportedOffers(first: 0) { totalCount counts(by: [PARTNER]) { groups { key count } } }
      posts: exportedOffers(first: 1000, where: { duplicates: GROUP }) {
        totalCount counts(by: $by) { total groups { count } }
        edges { reason node { ...Offer } sameAs { ...Offer } }
      }
      exportedOfferCounts(by: $by, where: { duplicates: GROUP }) { total groups { count } }
      exportedRecruiterCounts(by: [NAF]) { total }
    }
    fragment Offer on JobOffer { offer { title } identifier { partnerLabel } workplace { name siret } }`);
    expect(errors).toEqual([]);
    expect(data.exportedRecruiterCounts.total).toBeGreaterThan(0);
    const { all, posts, exportedOfferCounts } = data;
    const repeated = all.counts.groups.find(({ key }: { key: string[] }) => key[0] === 'Indeed').count;
    expect(repeated).toBeGreaterThan(20);
    expect(posts.counts).toEqual(exportedOfferCounts);
    expect(posts.counts.total).toBe(posts.totalCount);
    const groups: Post[] = posts.edges.map(({ node, sameAs, reason }: Edge) => ({ offers: [node, ...sameAs], reason }));
    expect(groups.flatMap(({ offers }) => offers)).toHaveLength(all.totalCount);
    for (const { offers, reason } of groups) {
      const copy = offers.find(({ identifier }) => identifier.partnerLabel === 'Indeed');
      if (copy === undefined) continue;
      // An employer that nobody can tell is not said to be the same.
      expect(offers.length > 1).toBe(copy.workplace.siret !== null || copy.workplace.name !== null);
      if (offers.length === 1) continue;
      const titles = offers.map(({ offer }) => `${offer.title.toUpperCase()} (H/F)`);
      expect(titles).toContain(copy.offer.title);
      expect(reason).toEqual(expect.arrayContaining(['PLACE', 'TITLE', 'TEXT']));
    }
    expect(stack.calls()).toEqual([]);
  });

  test('are refused for bad values, with what was meant', async () => {
    const messageOf = async (args: string) =>
      (await stack.send(`{ exportedOffers(${args}) { totalCount } }`)).errors[0]?.message;
    const message = (filters: string) => messageOf(`where: { ${filters} }`);
    expect(await message('insee: "Nantes"')).toContain('did you mean 44109, Nantes?');
    expect(await message('department: "2a"')).toContain('did you mean 2A, Corse-du-Sud?');
    expect(await message('region: "Bretange"')).toContain('did you mean 53, Bretagne?');
    expect(await message('rome: "m1805"')).toContain('did you mean M1805?');
    expect(await message('near: { insee: "44109", position: { latitude: 1, longitude: 2 } }')).toContain(
      'ExportedNear',
    );
    const query = 'query ($near: ExportedNear) { exportedOffers(where: { near: $near }) { totalCount } }';
    for (const near of [{}, { insee: null }, { insee: '44109', position: { latitude: 1, longitude: 2 } }])
      expect(await stack.send(query, { variables: { near } })).toMatchObject({ status: 400 });
    const below = await stack.send(
      '{ commune(insee: "44109") { exportedOffers(where: { near: { insee: "44109" } }) { totalCount } } }',
    );
    expect(below.errors[0]?.message).toContain('where.near cannot be given');
    expect(await message('radius: 3')).toContain('where.radius needs a point');
    expect(await messageOf('orderBy: { field: DISTANCE, direction: ASC }')).toContain('only with a point');
    expect(await message('text: "…"')).toContain('where.text has no word');
    expect(await messageOf('first: 1001')).toContain('at most 1000');
    expect(await messageOf('after: "MTIz"')).toContain('not a cursor of this list');
  });
});

describe('The rows of the export', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  test('are null for a key that may not have the export, with what to ask the service for', async () => {
    stack = await startStack({
      shape: ONE_SHAPE,
      sandbox: { scale: 0.2 },
      awaitsExport: false,
      prepare: ({ workStudy }) => workStudy.fault({ kind: 'status', path: LINK, status: 403 }),
    });
    await exportSettled(stack.log);
    const { data, errors } = await stack.send('{ exportedOffers { totalCount } sources { name } }');
    expect(data).toMatchObject({ exportedOffers: null, sources: expect.any(Array) });
    expect(errors[0]).toMatchObject({
      extensions: { code: 'PERMISSION_DENIED', service: 'work-study' },
      message: expect.stringContaining('ask the service for the right'),
    });
  });
});
