import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json, WasteUser, World } from '../../sandbox/world/types.js';
import { type Bench, startBench } from './support/bench.js';

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

let bench: Bench;
let token: string;

beforeAll(async () => {
  bench = await startBench(WORLD);
  token = bench.service.issueToken(ALICE.email);
});
afterEach(() => {
  bench.service.reset();
  token = bench.service.issueToken(ALICE.email);
});
afterAll(() => bench.close());

const bodies = () => bench.service.calls.map(({ body }) => String((body as Json)['query']));

describe('viewer', () => {
  it('says who the token belongs to, in one call that carries the token as a bearer', async () => {
    const answer = await bench.ask('{ viewer { id email name } }', { token });
    expect(answer).toEqual({
      data: { viewer: { id: 'ck-alice', email: 'alice@example.org', name: 'Alice Exemple' } },
      errors: [],
      messages: [],
    });
    expect(bench.service.calls).toHaveLength(1);
    expect(bench.service.calls[0]).toMatchObject({
      method: 'POST',
      url: '/',
      credentialHeaders: ['authorization'],
    });
  });

  it('asks for companies only when they are selected, and then in the same call', async () => {
    await bench.ask('{ viewer { name } }', { token });
    expect(bodies().join()).not.toContain('myCompanies');
    bench.service.clearCalls();
    const answer = await bench.ask('{ viewer { name companies { siret orgId vatNumber name companyTypes } } }', {
      token,
    });
    expect(answer.data.viewer).toEqual({
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
    expect(bench.service.calls).toHaveLength(1);
  });

  it('finds companies in fragments, named and inline', async () => {
    const named = await bench.ask('{ viewer { ...V } } fragment V on Viewer { companies { siret } }', { token });
    const inline = await bench.ask('{ viewer { ... on Viewer { companies { siret } } } }', { token });
    expect(named.data.viewer.companies).toHaveLength(2);
    expect(inline.data.viewer.companies).toHaveLength(2);
  });

  it('never asks for the signature code, rights or colleagues', async () => {
    await bench.ask('{ viewer { id email name companies { siret orgId name givenName address } } }', { token });
    expect(bodies().join()).not.toMatch(/securityCode|users|userPermissions|userRole|isAdmin/);
  });

  it('walks all companies of a user who has more than a page', async () => {
    const many = bench.service.issueToken(MANY.email);
    const answer = await bench.ask('{ viewer { companies { orgId } } }', { token: many });
    expect(answer.data.viewer.companies.map(({ orgId }: { orgId: string }) => orgId)).toEqual(
      MANY.companies.map((company) => company['orgId']),
    );
    expect(bench.service.calls).toHaveLength(3);
  });

  it('needs a token: without one nothing is sent', async () => {
    const answer = await bench.ask('{ viewer { name } }', { token: null });
    expect(answer).toMatchObject({ data: { viewer: null }, errors: ['CREDENTIALS_REQUIRED viewer'] });
    expect(bench.service.calls).toHaveLength(0);
  });

  it('recognises a revoked token in an answer of status 200', async () => {
    bench.service.revoke(ALICE.email);
    const answer = await bench.ask('{ viewer { name companies { siret } } }', { token });
    expect(bench.service.calls[0]?.status).toBe(200);
    expect(answer).toMatchObject({ data: { viewer: null }, errors: ['RECONNECT_REQUIRED viewer'] });
  });

  it('recognises a refused token in a 401 as the standard has it', async () => {
    bench.service.switches.unauthenticated = 'status';
    const answer = await bench.ask('{ viewer { name } }', { token: 'unknown-token' });
    bench.service.switches.unauthenticated = 'graphql';
    expect(answer.errors).toEqual(['RECONNECT_REQUIRED viewer']);
  });

  it('is never kept: what a token opens may end at any moment', async () => {
    await bench.ask('{ viewer { name } }', { token });
    bench.service.revoke(ALICE.email);
    expect((await bench.ask('{ viewer { name } }', { token })).errors).toEqual(['RECONNECT_REQUIRED viewer']);
  });

  it('asks once for what one request asks twice', async () => {
    const answer = await bench.ask('{ a: viewer { name } b: viewer { email } }', { token });
    expect(answer.data).toEqual({ a: { name: 'Alice Exemple' }, b: { email: 'alice@example.org' } });
    expect(bench.service.calls).toHaveLength(1);
  });

  it('gives each caller his own answer', async () => {
    const many = bench.service.issueToken(MANY.email);
    const [a, b] = await Promise.all([
      bench.ask('{ viewer { name } }', { token }),
      bench.ask('{ viewer { name } }', { token: many }),
    ]);
    expect([a.data.viewer.name, b.data.viewer.name]).toEqual(['Alice Exemple', 'Beaucoup']);
    expect(bench.service.calls).toHaveLength(2);
  });

  it('keeps the user and the other companies when one company has a field of a wrong type', async () => {
    bench.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/edges/0/node/name': 7 } });
    const answer = await bench.ask('{ viewer { name companies { name } } }', { token });
    expect(answer.data.viewer).toEqual({ name: 'Alice Exemple', companies: [{ name: null }, { name: 'Afval' }] });
    expect(answer.errors).toEqual(['UPSTREAM_INVALID_RESPONSE viewer.companies.0.name']);
  });

  it('keeps the other companies when one is no object at all', async () => {
    bench.service.fault({ kind: 'wrong-type', set: { '/data/myCompanies/edges/0/node': 'company' } });
    const answer = await bench.ask('{ viewer { companies { name } } }', { token });
    expect(answer.data.viewer.companies).toEqual([null, { name: 'Afval' }]);
    expect(answer.errors).toEqual(['UPSTREAM_INVALID_RESPONSE viewer.companies.0']);
  });

  it.each([
    ['an HTML page of a proxy', { kind: 'html' }, 'UPSTREAM_UNAVAILABLE'],
    ['a dropped connection', { kind: 'drop' }, 'UPSTREAM_UNAVAILABLE'],
    ['a spent window', { kind: 'rate-limit' }, 'RATE_LIMITED'],
  ] as const)('tells %s apart from a refused token', async (_name, fault, code) => {
    bench.service.fault(fault);
    const answer = await bench.ask('{ viewer { name } }', { token });
    expect(answer.errors).toEqual([`${code} viewer`]);
    expect(answer.messages.join()).not.toContain(token);
  });
});
