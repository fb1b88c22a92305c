import { describe, expect, test } from 'vitest';
import { organization, PUBLISHERS } from '../sandbox/volunteering/small-world.js';
import { storeId } from '../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { CREATE, offerInput, withKey } from './support/offer-inputs.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** Keys, rights and call limits of the work-study service: work-study 12.5, 12.7 and 12.8. */

const world = tinyWorld({
  organizations: [organization('5f0000000000000000000001', { siret: SIRETS.bakery, rna: 'W751234567' })],
  publishers: PUBLISHERS,
});

/** A search that has not been made before. */
const search = (number: number) => `{ jobSearch(romes: ["${ROMES[number]}"]) { truncated } }`;
const ROMES = Array.from({ length: 400 }, (_, number) => `A${1000 + number}`);

describe('keys and rights', () => {
  const rules = stackOfRules({ sandbox: { era: 'seed', world } });

  test('WS-126 the key is in the Authorization header as a bearer, and goes to no other service', async () => {
    await rules.read(
      `{ organization(rna: "W751234567") { commune { nom } workplaces { name } } jobOffer(id: "${storeId(1)}") { isDelegated } viewer { id } }`,
      {
        headers: {
          'x-work-study-key': rules.sandbox.keys.workStudy.alice,
          authorization: `Bearer ${rules.sandbox.keys.waste.token}`,
        },
      },
    );
    const { workStudy, volunteering, waste } = rules.sandbox;
    const keyed = workStudy.calls.filter(({ url }) => !url.startsWith('/storage/'));
    expect(new Set(keyed.map(({ key }) => key))).toEqual(new Set(['operator', 'alice']));
    // The sandbox recognises a key only in its bearer form.
    for (const call of keyed) expect(call.credentialHeaders).toEqual(['authorization']);
    for (const call of volunteering.calls)
      expect([call.key, call.credentialHeaders.includes('authorization')]).toEqual(['operator', false]);
    expect(volunteering.calls.length).toBeGreaterThan(0);
    for (const call of waste.calls) expect(call.key).toContain('@');
    expect(rules.stack.log.text()).not.toContain(rules.sandbox.keys.workStudy.alice);
  });

  test('WS-127 a route that needs a right is refused with its own code, once, and the rest of the response stands', async () => {
    const { bob } = rules.sandbox.keys.workStudy;
    expect(await rules.refusals(CREATE, withKey(bob, { input: offerInput() }))).toEqual([
      'PERMISSION_DENIED createJobOffer',
    ]);
    rules.sandbox.workStudy.fault({ kind: 'status', status: 403, path: '/api/job/v1/search' });
    const { data, errors } = await rules.send('{ jobSearch { truncated } departements { codeInsee } }');
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['PERMISSION_DENIED']);
    expect(data).toEqual({ jobSearch: null, departements: [{ codeInsee: '75' }, { codeInsee: '2A' }] });
    expect(rules.stack.calls()).toEqual([
      'work-study GET /api/geographie/v1/departement operator',
      'work-study GET /api/job/v1/search operator',
      'work-study POST /api/job/v1/offer bob',
    ]);
  });
});

describe('call limits', () => {
  const rules = stackOfRules({ sandbox: { era: 'seed', world, onUnknownPath: () => {} } });
  const as = (name: 'alice' | 'bob') => withKey(rules.sandbox.keys.workStudy[name]);

  test('WS-129, WS-131 over the limit the response tells the seconds to wait, and that route of that key alone is asked no more', async () => {
    rules.sandbox.workStudy.fault({ kind: 'rate-limit', path: '/api/job/v1/search', times: 1 });
    const { data, errors } = await rules.send(search(0), as('alice'));
    expect(data).toEqual({ jobSearch: null });
    expect(errors.map(({ extensions: { code, retryAfterSeconds } }) => [code, retryAfterSeconds])).toEqual([
      ['RATE_LIMITED', 60],
    ]);
    expect(rules.sandbox.workStudy.calls.at(-1)?.status).toBe(429);

    rules.stack.forgetCalls();
    const again = await rules.send(search(1), as('alice'));
    expect(again.errors[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED' });
    expect(again.errors[0]?.extensions.retryAfterSeconds).toBeGreaterThan(30);
    expect(rules.stack.calls()).toEqual([]);

    await rules.read(search(2), as('bob'));
    await rules.read(`{ jobOffer(id: "${storeId(2)}") { isDelegated } }`, as('alice'));
    expect(rules.stack.calls()).toEqual([
      `work-study GET /api/job/v1/offer/${storeId(2)} alice`,
      'work-study GET /api/job/v1/search?romes=A1002 bob',
    ]);
  });

  test('WS-132 every response has the three headers, and recorded calls say what they said', async () => {
    const { workStudy, keys } = rules.sandbox;
    const raw = async (path: string) =>
      (await fetch(`${workStudy.url}${path}`, { headers: { authorization: `Bearer ${keys.workStudy.bob}` } })).headers;
    const paths = [
      '/geographie/v1/departement',
      '/certification/v1?identifiant.rncp=RNCP1',
      '/unknown',
      '/job/v1/search',
    ];
    for (const path of paths) {
      const headers = await raw(path);
      for (const name of ['limit', 'remaining', 'reset']) {
        expect(headers.get(`x-ratelimit-${name}`), `${path} ${name}`).toMatch(/^\d+$/);
      }
    }
    const before = Number((await raw('/job/v1/search')).get('x-ratelimit-remaining'));
    const { trace } = await rules.send(search(3), as('bob'));
    expect(trace?.calls[0]?.quota).toMatchObject({ limit: 60, remaining: before - 1 });
  });

  test('WS-132 a burst runs into no refusal that the headers announced', async () => {
    const { operator } = rules.sandbox.keys.workStudy;
    const burst = [0, 1, 2].map((part) => {
      const fields = ROMES.slice(100 + part * 25, 125 + part * 25).map(
        (rome, i) => `s${i}: jobSearch(romes: ["${rome}"]) { truncated }`,
      );
      return rules.send(`{ ${fields.join(' ')} }`, withKey(operator));
    });
    const refused = (await Promise.all(burst)).flatMap(({ errors }) => errors);
    const { calls } = rules.sandbox.workStudy;
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(calls.length).toBeGreaterThan(40);
    expect(calls.length + refused.length).toBe(75);
    expect(new Set(refused.map(({ extensions }) => extensions.code))).toEqual(new Set(['RATE_LIMITED']));
  });
});

describe('the reset', () => {
  // Too short to wait for the next window, so calls beyond this one are refused at once, with the time to wait.
  const rules = stackOfRules({ sandbox: { era: 'seed', world }, env: { REQUEST_DEADLINE_MS: '5000' } });

  /** Announces that the window is spent and ends in this many seconds. */
  const spend = (seconds: number) =>
    rules.sandbox.workStudy.fault({
      kind: 'headers',
      path: '/api/job/v1/search',
      times: 1,
      headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${seconds}` },
    });

  test('WS-133 counts the seconds that are left: no call leaves before, and a refusal says when', async () => {
    const { alice, operator } = rules.sandbox.keys.workStudy;
    spend(30);
    await rules.read(search(300), withKey(alice));
    const { errors } = await rules.send(search(301), withKey(alice));
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED']);
    const { retryAfterSeconds = 0 } = errors[0]?.extensions ?? {};
    expect(retryAfterSeconds).toBeGreaterThan(20);
    expect(retryAfterSeconds).toBeLessThanOrEqual(30);
    expect(rules.sandbox.workStudy.calls).toHaveLength(1);

    spend(1);
    await rules.read(search(302), withKey(operator));
    await rules.read(search(303), withKey(operator));
    const [, first, second] = rules.sandbox.workStudy.calls;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('WS-134 retry-after comes with a 429 only: a response without it is a good one', async () => {
    const { workStudy, keys } = rules.sandbox;
    const retryAfter = async () => {
      const { status, headers } = await fetch(`${workStudy.url}/job/v1/search?romes=A1399`, {
        headers: { authorization: `Bearer ${keys.workStudy.bob}` },
      });
      return [status, headers.get('retry-after')];
    };
    expect(await retryAfter()).toEqual([200, null]);
    await rules.read(search(399), withKey(keys.workStudy.bob));
    workStudy.fault({ kind: 'rate-limit', times: 1 });
    expect(await retryAfter()).toEqual([429, '60']);
  });
});
