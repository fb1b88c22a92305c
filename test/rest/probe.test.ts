import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { startSandbox } from '../../sandbox/index.js';
import { type Call, createTrail } from '../../subgraphs/rest/call.js';
import type { RouteGroup } from '../../subgraphs/rest/circuit-breaker.js';
import type { WireRequest } from '../../subgraphs/rest/ports/transport.js';
import { createProber } from '../../subgraphs/rest/stages/breaker.js';
import type { Dialect } from '../../subgraphs/rest/upstream.js';
import { volunteeringDialect } from '../../subgraphs/volunteering/dialect.js';
import { wasteIdentityDialect } from '../../subgraphs/waste-identity/dialect.js';
import { workStudyDialect } from '../../subgraphs/work-study/dialect.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, createToolkit, search } from './support/toolkit.js';
import { createVirtualClock, settle } from './support/virtual-clock.js';

const SECOND = 1_000;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const DIALECT: Dialect = {
  headers: (secret) => ({ 'x-api-key': secret }),
  probes: { '/v0/mission': { method: 'GET', template: '/v0/mission', path: '/v0/mission', query: [['limit', '1']] } },
};

const isProbe = ({ url }: WireRequest) => url.search === '?limit=1';
const isPoison = ({ url }: WireRequest) => url.pathname.includes('poison');
const FINE = { body: { good: true } };
const DOWN = { body: '', status: 500 };

/** A service with a probe, behind the toolkit. */
function harness() {
  const made = createHarness({ dialect: DIALECT });
  const send = (id: string, key: string | null = null) =>
    made.toolkit
      .call(
        search({ path: `/v0/mission/${id}`, template: '/v0/mission/{id}' }),
        createOperation({ credential: key === null ? null : createKey(key) }),
      )
      .catch((error: CodedError) => error.code);
  const sendAll = async (name: string, count: number) => {
    for (let n = 0; n < count; n += 1) await send(`${name}-${n}`);
  };
  return { ...made, send, sendAll, probes: () => made.transport.sent.filter(({ request }) => isProbe(request)) };
}

describe('a service that can be asked a probe of our own', () => {
  it('a service that can be asked a probe of our own is not called down for what one caller’s words do to it, be they as many as they like', async () => {
    const { transport, send, sendAll, probes } = harness();
    transport.respond = (request) => (isPoison(request) ? DOWN : FINE);
    await sendAll('poison', 40);
    expect(await send('m1', 'alice')).toEqual({ good: true });
    expect(await send('m2')).toEqual({ good: true });
    // One probe for every four failures.
    expect(probes()).toHaveLength(10);
  });

  it('a service that can be asked a probe of our own is left alone when it is down: at most eight calls after the first failure at twenty a second', async () => {
    const { toolkit, transport, clock } = createHarness({ dialect: DIALECT });
    let failedFirst: number | null = null;
    for (let tick = 0; tick < 200; tick += 1) {
      const onTheWire = transport.sent.length;
      void toolkit.call(search({ path: `/v0/mission/${tick}` }), createOperation()).catch(() => {});
      await clock.advance(50);
      for (const one of transport.sent.slice(0, onTheWire)) one.respond('', 500);
      if (onTheWire > 0) failedFirst ??= transport.sent.length;
    }
    const trials = 4;
    expect(transport.sent.length - (failedFirst ?? 0)).toBeLessThanOrEqual(8 + trials);
    expect(transport.sent.length).toBeGreaterThan(4);
  });

  it('a service that can be asked a probe of our own is called down when it answers nobody', async () => {
    const { transport, send, clock, toolkit } = harness();
    const pending = Array.from({ length: 4 }, (_, n) => send(`m${n}`));
    await clock.advance(11 * SECOND);
    expect(await Promise.all(pending)).toEqual(Array(4).fill('UPSTREAM_TIMEOUT'));
    const held = send('m5');
    await clock.advance(1.9 * SECOND);
    expect(await held).toBe('UPSTREAM_UNAVAILABLE');
    expect(transport.sent).toHaveLength(5);
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
  });

  it('a service that can be asked a probe of our own is back although one caller goes on asking what it cannot answer', async () => {
    const { transport, send, sendAll, clock, toolkit } = harness();
    transport.respond = () => DOWN;
    await sendAll('m', 4);
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
    transport.respond = (request) => (isPoison(request) ? DOWN : FINE);
    await clock.advance(2 * SECOND);
    expect(await send('poison')).toBe('UPSTREAM_UNAVAILABLE');
    expect(await send('m9', 'alice')).toEqual({ good: true });
    for (let n = 0; n < 40; n += 1) expect(await send(`n${n}`, 'alice')).toEqual({ good: true });
    expect(toolkit.status()).toMatchObject({ state: 'UP' });
  });

  it('a service that can be asked a probe of our own is not called down for a caller whose own key makes it fail: the probe has the operator’s', async () => {
    const { transport, send, probes } = harness();
    transport.respond = ({ headers }) => (headers['x-api-key'] === 'secret-of-bob' ? DOWN : FINE);
    for (let n = 0; n < 12; n += 1) await send(`m${n}`, 'bob');
    expect(await send('m', 'alice')).toEqual({ good: true });
    expect(await send('m')).toEqual({ good: true });
    expect(probes().map(({ request }) => request.headers['x-api-key'])).toEqual(Array(3).fill('secret-of-operator'));
  });
});

describe('a service that was called down while nobody calls any more', () => {
  /** Latest times, in milliseconds, at which the probes after the first are due. */
  const DUE_MS = [1, 3, 7, 15, 23, 31, 39].map((seconds) => seconds * SECOND);

  /** A service found to be down with the operator's key, or with a caller's own. */
  async function down(parts: { key?: string; scopes?: Dialect['scopes']; operatorKey?: null } = {}) {
    const { key, scopes, ...options } = parts;
    const dialect = { ...DIALECT, ...(scopes !== undefined && { scopes }) };
    const { toolkit, transport, clock } = createHarness({ dialect, ...options });
    transport.respond = () => DOWN;
    const operation = createOperation({ credential: key === undefined ? null : createKey(key) });
    for (let n = 0; n < 4; n += 1) await toolkit.call(search({ path: `/v0/mission/${n}` }), operation).catch(() => {});
    const probes = () => transport.sent.filter(({ request }) => isProbe(request)).length;
    return { toolkit, transport, clock, operation, probes };
  }

  it('a service that was called down while nobody calls any more gets a probe whenever one is due, one at a time, six in half a minute', async () => {
    const { toolkit, transport, clock, probes } = await down();
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
    for (const [sent, dueMs] of DUE_MS.entries()) {
      await clock.advance(dueMs - clock.monotonicMs() - 1);
      expect(probes()).toBe(1 + sent);
      await clock.advance(1);
      expect(probes()).toBe(2 + sent);
    }
    transport.respond = null;
    await clock.advance(9.9 * SECOND);
    await toolkit.call(search(), createOperation()).catch(() => {});
    expect([probes(), transport.sent.at(-1)?.closed]).toEqual([DUE_MS.length + 2, false]);
    await clock.advance(0.1 * SECOND);
    expect([probes(), transport.sent.at(-1)?.closed]).toEqual([DUE_MS.length + 2, true]);
  });

  it('a service that was called down while nobody calls any more is back by itself, and the first caller is served', async () => {
    const { toolkit, transport, clock, probes } = await down();
    await clock.advance(20 * SECOND);
    transport.respond = () => FINE;
    await clock.advance(10 * SECOND);
    const made = probes();
    expect(toolkit.status()).toMatchObject({ state: 'DEGRADED', detail: 'recovering: /v0/mission' });
    expect(await toolkit.call(search(), createOperation())).toEqual({ good: true });
    await clock.advance(30 * SECOND);
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
    expect([probes(), clock.pending]).toEqual([made, 0]);
  });

  it("a service that was called down while nobody calls any more gets none with a caller's own key, where the operator has none, until a call is due", async () => {
    const { toolkit, clock, operation, probes } = await down({ key: 'alice', operatorKey: null });
    await clock.advance(60 * SECOND);
    expect([probes(), clock.pending]).toEqual([1, 0]);
    await toolkit.call(search(), operation).catch(() => {});
    expect(probes()).toBe(2);
  });

  describe('gets none while the quota of the key is spent', () => {
    const scopes: Dialect['scopes'] = (_request, fingerprint) => [
      { kind: 'window', name: fingerprint, limit: 10, windowMs: 60 * SECOND },
    ];

    it('and then again', async () => {
      const { transport, clock, probes } = await down({ scopes });
      // Four calls, the first probe, and the probes after 1, 3, 7, 15 and 23 s.
      await clock.advance(60 * SECOND);
      expect([transport.sent.length, probes()]).toEqual([10, 6]);
      await clock.advance(20 * SECOND);
      expect(probes()).toBeGreaterThan(6);
    });

    it("and then again, also when one was sent with a caller's own key meanwhile", async () => {
      const { toolkit, transport, clock, probes } = await down({ scopes });
      const keys = () => transport.sent.map(({ request }) => request.headers['x-api-key']);
      await clock.advance(45 * SECOND);
      await toolkit.call(search(), createOperation({ credential: createKey('alice') })).catch(() => {});
      await settle();
      expect([probes(), keys().at(-1)]).toEqual([7, 'secret-of-alice']);
      await clock.advance(35 * SECOND);
      expect(keys().slice(11)).toContain('secret-of-operator');
      expect(keys().slice(11)).not.toContain('secret-of-alice');
    });
  });

  it('a service that was called down while nobody calls any more is probed for no request, and none that has ended is held', async () => {
    const requestIds: (string | undefined)[] = [];
    const { toolkit, transport, clock } = createHarness({
      dialect: DIALECT,
      onCall: (_row, _error, operation) => requestIds.push(operation?.requestId),
    });
    transport.respond = () => DOWN;
    const call = async (path: string) => {
      const operation = createOperation();
      await toolkit.call(search({ path }), operation).catch(() => {});
      return new WeakRef(operation);
    };
    const ended = [await call('/1'), await call('/2'), await call('/3'), await call('/4')];
    const sent = requestIds.length;
    await clock.advance(20 * SECOND);
    expect(requestIds.slice(sent)).toEqual(Array(4).fill('probe'));
    collect();
    expect(ended.map((operation) => operation.deref())).toEqual(Array(4).fill(undefined));
  });

  it('a service that was called down while nobody calls any more gets none once the upstream is closed, and leaves no timer', async () => {
    const { toolkit, clock, probes } = await down();
    expect(clock.pending).toBe(1);
    await toolkit.close();
    expect(clock.pending).toBe(0);
    await clock.advance(20 * SECOND);
    expect(probes()).toBe(1);
  });

  it('a service that was called down while nobody calls any more gets none after a probe that the closing of the upstream has ended', async () => {
    const { toolkit, transport, clock, probes } = await down();
    transport.respond = null;
    await clock.advance(SECOND);
    await toolkit.close();
    transport.sent.at(-1)?.fail('reset');
    await clock.advance(20 * SECOND);
    expect([probes(), clock.pending]).toEqual([2, 0]);
  });
});

describe('a caller who waits for what a probe decides', () => {
  it('a caller who waits for what a probe decides is released when they leave', async () => {
    const prober = createProber({
      clock: createVirtualClock(),
      detach: (call, run) => void run(call),
      operatorKey: null,
    });
    const breaker = { takeTrial: () => () => {} };
    const group = { name: '/v0/mission', breaker, probe: DIALECT.probes?.['/v0/mission'] } as unknown as RouteGroup;
    const silent = () => new Promise<never>(() => {});
    prober.probe({ request: search(), trail: createTrail('MISS') } as Call, group, silent);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const verdicts = [leaving, staying].map(({ signal }) => prober.verdict(group, signal)?.catch(({ kind }) => kind));
    leaving.abort();
    expect(await Promise.race(verdicts)).toBe('aborted');
    expect(await Promise.race([verdicts[1], settle().then(() => 'waits')])).toBe('waits');
  });
});

describe('a readable answer of another form', () => {
  const misread = () => {
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'another form', { service: 'volunteering' });
  };

  it('to a query about one id tells of that id alone', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => FINE;
    const about = { path: '/v0/mission/m1', template: '/v0/mission/{id}' };
    for (let n = 0; n < 20; n += 1) {
      const call = toolkit.call(search({ ...about, parse: misread }), createOperation());
      await expect(call).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    }
    expect(await toolkit.call(search(about), createOperation())).toEqual({ good: true });
  });

  it('to a query that names none is an outage', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => FINE;
    for (let n = 0; n < 5; n += 1) await toolkit.call(search({ parse: misread }), createOperation()).catch(() => {});
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});

describe('our own probes', async () => {
  const sandbox = await startSandbox();
  afterAll(() => sandbox.close());
  const { workStudy, volunteering, waste, keys } = sandbox;
  const keyOf = (secret: string) => ({ fingerprint: 'operator', reveal: () => secret });
  const services = [
    { service: workStudy, dialect: workStudyDialect, secret: keys.workStudy.operator },
    { service: volunteering, dialect: volunteeringDialect, secret: keys.volunteering.operator },
    { service: waste, dialect: wasteIdentityDialect, secret: `${keys.waste.client.id}:${keys.waste.client.secret}` },
  ];

  it.each(services)(
    'our own probes are answered by every group of routes: $service.origin',
    async ({ service, dialect, secret }) => {
      const toolkit = createToolkit(service.url, { dialect, operatorKey: keyOf(secret) });
      for (const era of ['today', 'seed'] as const) {
        service.era = era;
        for (const probe of Object.values(dialect.probes ?? {})) {
          const call = toolkit.call(
            { ...probe, key: 'operator', cache: 'never', parse: () => 'fine' },
            createOperation(),
          );
          expect(await call, probe.path).toBe('fine');
        }
      }
      await toolkit.close();
    },
  );
});
