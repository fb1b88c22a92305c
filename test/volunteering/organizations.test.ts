import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { organization, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const SIRET = '55204944776279';
const BRANCH = '77567227221138';
const RNA = 'W751206979';

const harness = await startHarness(
  world({
    organizations: [
      organization('parent', {
        title: 'CROIX ROUGE',
        siren: SIRET.slice(0, 9),
        siret: SIRET,
        sirets: [SIRET, BRANCH],
        rna: RNA,
      }),
      organization('branch', { title: 'CROIX ROUGE LOCALE', siret: BRANCH, sirets: [BRANCH], status: 'DISSOLVED' }),
      ...Array.from({ length: 30 }, (_, index) =>
        organization(`club${String(index).padStart(2, '0')}`, { title: `CLUB SPORTIF ${index}` }),
      ),
    ],
  }),
);
const { service, send } = harness;

let keyCount = 0;
const requested = (source: string, variables = {}) =>
  send(source, { variables, key: { fingerprint: `org ${keyCount++}`, reveal: () => volunteeringKeys.operator } });

beforeEach(() => service.reset());
afterAll(() => harness.close());

describe.each(['today', 'seed'] satisfies Era[])('organizations, %s', (era) => {
  beforeEach(() => {
    service.era = era;
  });

  it('finds one by its exact SIRET, which today’s service finds by its SIREN, or RNA number, one call each (VO-49, VO-52)', async () => {
    // What tells the eras apart.
    await requested('{ organization(siret: "73282932000074") { id } }');
    service.clearCalls();
    const { data, errors } = await requested(`{
      siret: organization(siret: "${SIRET}") { id title siret rna }
      rna: organization(rna: "${RNA}") { id }
      both: organization(siret: "${SIRET}", rna: "${RNA}") { id }
      neither: organization(siret: "${BRANCH}", rna: "${RNA}") { id }
    }`);
    expect(errors).toEqual([]);
    expect(data.siret).toEqual({ id: 'parent', title: 'CROIX ROUGE', siret: SIRET, rna: RNA });
    expect(data.rna.id).toBe('parent');
    expect(data.both.id).toBe('parent');
    const bySiret = era === 'today' ? `q=${SIRET.slice(0, 9)}` : `siret=${SIRET}`;
    const queries = [bySiret, `rna=${RNA}`, `siret=${SIRET}&rna=${RNA}`, `siret=${BRANCH}&rna=${RNA}`];
    expect([...service.callLines()].sort()).toEqual(
      queries.map((query) => `GET /v0/organization?${query}&limit=100 operator`).sort(),
    );
    // Today's service searches all SIRETs of an organization (volunteering 4.4).
    expect(data.neither?.id).toBe(era === 'today' ? 'parent' : undefined);
  });

  it('refuses a list that is null, and caches nothing of it', async () => {
    const key = { fingerprint: `org ${keyCount++}`, reveal: () => volunteeringKeys.operator };
    const query = `{ organizations(first: 2) { nodes { id } } organization(siret: "${SIRET}") { id } }`;
    service.fault({ kind: 'wrong-type', set: { '/data': null } });
    const { data, errors } = await send(query, { key });
    expect(data).toEqual({ organizations: null, organization: null });
    expect([...errors].sort()).toEqual([
      'UPSTREAM_INVALID_RESPONSE organization',
      'UPSTREAM_INVALID_RESPONSE organizations',
    ]);
    service.clearFaults();
    expect((await send(query, { key })).data).toMatchObject({
      organizations: { nodes: { length: 2 } },
      organization: { id: 'parent' },
    });
  });

  it.each<[string, (row: Json) => unknown]>([
    ['is no text', (row) => ({ ...row, rna: 7, siret: {}, sirets: [{}] })],
    ['is in a row that is no object', () => 'x'],
    ['is in a row that is null', () => null],
    ['is in an empty row', () => ({})],
  ])('does not take a code for unknown that %s, and caches nothing of it', async (_what, change) => {
    const key = { fingerprint: `org ${keyCount++}`, reveal: () => volunteeringKeys.operator };
    const query = `{ siret: organization(siret: "${BRANCH}") { id } rna: organization(rna: "${RNA}") { id } }`;
    service.fault({
      kind: 'wrong-type',
      change: (body) => ({ ...(body as object), data: (body as { data: Json[] }).data.map(change) }),
    });
    const { data, errors } = await send(query, { key });
    expect(data).toEqual({ siret: null, rna: null });
    expect([...errors].sort()).toEqual(['UPSTREAM_INVALID_RESPONSE rna', 'UPSTREAM_INVALID_RESPONSE siret']);
    service.clearFaults();
    expect((await send(query, { key })).data).toEqual({ siret: { id: 'branch' }, rna: { id: 'parent' } });
  });

  it('prefers the record whose own SIRET is requested over one that lists it', async () => {
    const { data } = await requested(`{ organization(siret: "${BRANCH}") { id status } }`);
    expect(data.organization).toEqual({ id: 'branch', status: 'DISSOLVED' });
  });

  it('finds all records that carry a SIRET, and refuses a page that the source does not serve', async () => {
    const { data, errors } = await requested(`{
      all: organizations(siret: "${BRANCH}") { nodes { id } }
      large: organizations(first: 101) { totalCount }
      largest: organizations(first: 100) { nodes { id } pageInfo { hasNextPage } }
    }`);
    expect(data.all.nodes.map(({ id }: { id: string }) => id).sort()).toEqual(
      era === 'today' ? ['branch', 'parent'] : ['branch'],
    );
    expect(errors).toEqual(['BAD_USER_INPUT large']);
    expect(data.largest.nodes).toHaveLength(32);
    expect(data.largest.pageInfo.hasNextPage).toBe(false);
  });
});

describe('an organization as an entity', () => {
  const entities = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Organization { id title } } }';
  const r = [{ __typename: 'Organization', id: 'parent' }];

  it('is found among the rows of the same request, because the source has no route by identifier', async () => {
    service.era = 'today';
    const request = {};
    await send(`{ organization(siret: "${SIRET}") { id } }`, { request });
    service.clearCalls();
    const { data } = await send(entities, { request, variables: { r } });
    expect(data._entities).toEqual([{ id: 'parent', title: 'CROIX ROUGE' }]);
    expect(service.calls).toEqual([]);
  });

  it('is null in a request that has not come across it', async () => {
    const { data, errors } = await send(entities, { variables: { r } });
    expect([data._entities, errors]).toEqual([[null], []]);
  });
});
