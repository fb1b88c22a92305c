import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json, WasteUser, World } from '../../sandbox/world/types.js';
import { type Harness, startHarness } from './support/harness.js';

const SIRET = '55204944776279';

const ALICE: WasteUser = {
  id: 'ck-alice',
  email: 'alice@example.org',
  password: 'x',
  name: 'Alice Exemple',
  companies: [
    { siret: SIRET, name: 'Déchets & Cie', companyTypes: ['PRODUCER', 'TRANSPORTER'] },
    { siret: null, vatNumber: 'BE0541696005', orgId: 'BE0541696005', name: 'Afval' },
  ],
};
const MANY: WasteUser = {
  id: 'ck-many',
  email: 'many@example.org',
  password: 'x',
  name: 'Beaucoup',
  companies: Array.from({ length: 1_201 }, (_, index) => ({ siret: null, orgId: `BE${index}`, name: `n° ${index}` })),
};

const WORLD = { wasteUsers: [ALICE, MANY], publishers: [], truth: new Map() } as unknown as World;

let harness: Harness;
let token: string;

beforeAll(async () => {
  harness = await startHarness(WORLD);
  token = harness.service.issueToken(ALICE.email);
});
afterEach(() => {
  harness.service.reset();
  token = harness.service.issueToken(ALICE.email);
});
afterAll(() => harness.close());

const bodies = () => harness.service.calls.map(({ body }) => String((body as Json)['query']));

describe('viewer', () => {
  it('says who the token belongs to, in one call that carries the token as a bearer', async () => {
    const response = await harness.send('{ viewer { id email name } }', { token });
    expect(response).toEqual({
      data: { viewer: { id: 'ck-alice', email: 'alice@example.org', name: 'Alice Exemple' } },
      errors: [],
      messages: [],
    });
    expect(harness.service.calls).toHaveLength(1);
    expect(harness.service.calls[0]).toMatchObject({
      method: 'POST',
      url: '/',
      credentialHeaders: ['authorization'],
    });
  });

  it('requests companies only when they are selected, and then in the same call', async () => {
    await harness.send('{ viewer { name } }', { token });
    expect(bodies().join()).not.toContain('myCompanies');
    harness.service.clearCalls();
    const response = await harness.send('{ viewer { name companies { siret orgId vatNumber name companyTypes } } }', {
      token,
    });
    expect(response.data.viewer).toEqual({
      name: 'Alice Exemple',
      companies: [
        {
          siret: SIRET,
          orgId: SIRET,
          vatNumber: null,
          name: 'Déchets & Cie',
          companyTypes: ['PRODUCER', 'TRANSPORTER'],
        },
        { siret: null, orgId: 'BE0541696005', vatNumber: 'BE0541696005', name: 'Afval', companyTypes: ['PRODUCER'] },
      ],
    });
    expect(harness.service.calls).toHaveLength(1);
  });

  it('says what proves each company: its check, the role in it, and whether it is in use', async () => {
    const proof = {
      verificationStatus: 'TO_BE_VERIFIED',
      userRole: 'DRIVER',
      isDormantSince: '2025-03-01T09:30:00.000Z',
    };
    const nodes = [
      { orgId: '1', ...proof },
      { orgId: '2', verificationStatus: 'IN_DOUBT', userRole: 'OWNER' },
    ];
    const edges = nodes.map((node) => ({ node }));
    harness.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/edges': edges } });
    const fields = 'verificationStatus verificationStatusRaw role roleRaw isDormantSince';
    const response = await harness.send(`{ viewer { companies { ${fields} } } }`, { token });
    expect(response.data.viewer.companies).toEqual([
      {
        verificationStatus: 'TO_BE_VERIFIED',
        verificationStatusRaw: null,
        role: 'DRIVER',
        roleRaw: null,
        isDormantSince: '2025-03-01T09:30:00.000Z',
      },
      {
        verificationStatus: 'OTHER',
        verificationStatusRaw: 'IN_DOUBT',
        role: 'OTHER',
        roleRaw: 'OWNER',
        isDormantSince: null,
      },
    ]);
    expect(harness.service.calls).toHaveLength(1);
  });

  it('finds companies in fragments, named and inline', async () => {
    const named = await harness.send('{ viewer { ...V } } fragment V on Viewer { companies { siret } }', { token });
    const inline = await harness.send('{ viewer { ... on Viewer { companies { siret } } } }', { token });
    expect(named.data.viewer.companies).toHaveLength(2);
    expect(inline.data.viewer.companies).toHaveLength(2);
  });

  it('never requests the signature code, rights or colleagues', async () => {
    await harness.send('{ viewer { id email name companies { siret orgId name givenName address } } }', { token });
    expect(bodies().join()).not.toMatch(/securityCode|users|userPermissions|isAdmin/);
  });

  it('walks all companies of a user who has more than a page', async () => {
    const many = harness.service.issueToken(MANY.email);
    const response = await harness.send('{ viewer { companies { orgId } } }', { token: many });
    expect(response.data.viewer.companies.map(({ orgId }: { orgId: string }) => orgId)).toEqual(
      MANY.companies.map((company) => company['orgId']),
    );
    expect(harness.service.calls).toHaveLength(3);
  });

  const COMPANIES = '{ viewer { companies { orgId } companiesComplete } }';

  it('says that a user has all companies, in the same calls', async () => {
    const whole = await harness.send(COMPANIES, { token: harness.service.issueToken(MANY.email) });
    expect([whole.data.viewer.companies.length, whole.data.viewer.companiesComplete]).toEqual([1_201, true]);
    expect(harness.service.calls).toHaveLength(3);
    const alone = await harness.send('{ viewer { companiesComplete } }', { token });
    expect([alone.data.viewer.companiesComplete, harness.service.calls.length]).toEqual([true, 4]);
  });

  it('says that companies are missing where pages skip some, because equal names have no order', async () => {
    harness.service.switches.companyPages = 'skipping';
    const response = await harness.send(COMPANIES, { token: harness.service.issueToken(MANY.email) });
    expect([response.data.viewer.companies.length, response.data.viewer.companiesComplete]).toEqual([1_181, false]);
    expect(harness.service.calls).toHaveLength(3);
  });

  it('reads no page after one that repeats the first, and shows that one once', async () => {
    harness.service.switches.companyPages = 'repeating';
    const response = await harness.send(COMPANIES, { token: harness.service.issueToken(MANY.email) });
    expect([response.data.viewer.companies.length, response.data.viewer.companiesComplete]).toEqual([500, false]);
    expect(harness.service.calls).toHaveLength(2);
  });

  it('does not know whether companies are missing where the platform does not count them', async () => {
    harness.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/totalCount': null } });
    const response = await harness.send(COMPANIES, { token });
    expect(response.data.viewer).toMatchObject({ companies: [{}, {}], companiesComplete: null });
  });

  it('needs a token: without one nothing is sent', async () => {
    const response = await harness.send('{ viewer { name } }', { token: null });
    expect(response).toMatchObject({ data: { viewer: null }, errors: ['CREDENTIALS_REQUIRED viewer'] });
    expect(harness.service.calls).toHaveLength(0);
  });

  it('recognises a revoked token in a response of status 200', async () => {
    harness.service.revoke(ALICE.email);
    const response = await harness.send('{ viewer { name companies { siret } } }', { token });
    expect(harness.service.calls[0]?.status).toBe(200);
    expect(response).toMatchObject({ data: { viewer: null }, errors: ['RECONNECT_REQUIRED viewer'] });
  });

  it('doubts a refusal in a 401 as the standard has it, which the platform does not send', async () => {
    harness.service.switches.unauthenticated = 'status';
    const response = await harness.send('{ viewer { name } }', { token: 'unknown-token' });
    harness.service.switches.unauthenticated = 'graphql';
    expect(response.errors).toEqual(['UPSTREAM_UNAVAILABLE viewer']);
    expect(harness.service.calls).toHaveLength(1);
  });

  it('is never kept: what a token opens may end at any moment', async () => {
    await harness.send('{ viewer { name } }', { token });
    harness.service.revoke(ALICE.email);
    expect((await harness.send('{ viewer { name } }', { token })).errors).toEqual(['RECONNECT_REQUIRED viewer']);
  });

  it('asks once for what one request asks twice', async () => {
    const response = await harness.send('{ a: viewer { name } b: viewer { email } }', { token });
    expect(response.data).toEqual({ a: { name: 'Alice Exemple' }, b: { email: 'alice@example.org' } });
    expect(harness.service.calls).toHaveLength(1);
  });

  it('gives each caller his own response', async () => {
    const many = harness.service.issueToken(MANY.email);
    const [a, b] = await Promise.all([
      harness.send('{ viewer { name } }', { token }),
      harness.send('{ viewer { name } }', { token: many }),
    ]);
    expect([a.data.viewer.name, b.data.viewer.name]).toEqual(['Alice Exemple', 'Beaucoup']);
    expect(harness.service.calls).toHaveLength(2);
  });

  it('keeps the user and the other companies when one company has a field of a wrong type', async () => {
    harness.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/edges/0/node/name': 7 } });
    const response = await harness.send('{ viewer { name companies { name } } }', { token });
    expect(response.data.viewer).toEqual({ name: 'Alice Exemple', companies: [{ name: null }, { name: 'Afval' }] });
    expect(response.errors).toEqual(['UPSTREAM_INVALID_RESPONSE viewer.companies.0.name']);
  });

  it('keeps the other companies when one is no object at all', async () => {
    harness.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/edges/0/node': 'company' } });
    const response = await harness.send('{ viewer { companies { name } } }', { token });
    expect(response.data.viewer.companies).toEqual([null, { name: 'Afval' }]);
    expect(response.errors).toEqual(['UPSTREAM_INVALID_RESPONSE viewer.companies.0']);
  });

  it.each([
    ['an HTML page of a proxy', { kind: 'html' }, 'UPSTREAM_UNAVAILABLE'],
    ['a dropped connection', { kind: 'drop' }, 'UPSTREAM_UNAVAILABLE'],
    ['a spent window', { kind: 'rate-limit' }, 'RATE_LIMITED'],
  ] as const)('tells %s apart from a refused token', async (_name, fault, code) => {
    harness.service.fault(fault);
    const response = await harness.send('{ viewer { name } }', { token });
    expect(response.errors).toEqual([`${code} viewer`]);
    expect(response.messages.join()).not.toContain(token);
  });
});
