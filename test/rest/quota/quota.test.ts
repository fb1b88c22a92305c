import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { QuotaScope } from '../../../subgraphs/rest/quota/scopes.js';
import { turnsDuring } from '../../turns-during.js';
import { createLimitedService } from '../support/limited-service.js';
import { createOperation } from '../support/operation.js';
import { createHarness, createToolkit, search } from '../support/toolkit.js';

const MINUTE = 60_000;
const SCOPE: QuotaScope = { kind: 'window', name: 'search', limit: 60, windowMs: MINUTE };

function limited(scopes: readonly QuotaScope[] = [SCOPE], limit = 60) {
  const harness = createHarness({ dialect: { headers: () => ({}), scopes: () => scopes } });
  const service = createLimitedService(harness.clock, limit);
  harness.transport.respond = service.respond;
  let number = 0;
  /** Makes distinct searches; returns their outcomes. */
  const offer = (count: number, operation: OperationContext = createOperation()) =>
    Array.from({ length: count }, () => {
      number += 1;
      const path = `/v0/mission/${number}`;
      return harness.toolkit.call(search({ path }), operation).catch((error: unknown) => error);
    });
  return { ...harness, service, offer };
}

/** An operation whose time runs on the harness's clock. */
function within(ms: number, clock: { monotonicMs(): number }, parts: { background?: boolean } = {}) {
  const untilMs = clock.monotonicMs() + ms;
  return { ...createOperation({ remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) }), ...parts };
}

const isRefused = (outcome: unknown) => outcome instanceof CodedError && outcome.code === 'RATE_LIMITED';

describe('a response that is no refusal and announces a limit of 0', () => {
  it.each([200, 404, 500])('says nothing about the quota, and is reported as drift: %i', async (status) => {
    const { clock, transport, toolkit, offer } = limited();
    const { respond } = transport;
    const contradiction = { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' };
    transport.respond = () => ({ body: { good: true }, headers: contradiction, status });
    await Promise.all(offer(1));
    await clock.advance(1_000);
    transport.respond = respond;
    const outcomes = Promise.all(offer(30, within(1_000, clock)));
    await clock.advance(1_000);
    expect((await outcomes).filter(isRefused)).toEqual([]);
    expect(toolkit.drifts).toEqual(['x-ratelimit-limit']);
  });
});

describe('three hundred searches at once against sixty a minute', () => {
  it('with ten seconds: sixty are answered, the rest is refused at once with the right time, and the service refuses none', async () => {
    const { clock, service, offer } = limited();
    const settled: { atMs: number; outcome: unknown }[] = [];
    for (const response of offer(300, within(10_000, clock))) {
      void response.then((outcome) => settled.push({ atMs: clock.monotonicMs(), outcome }));
    }
    await clock.advance(100);
    const refused = settled.filter(({ outcome }) => isRefused(outcome));
    expect(refused).toHaveLength(240);
    for (const { outcome } of refused) {
      const { extensions } = outcome as CodedError;
      expect(Math.abs(Number(extensions['retryAfterSeconds']) - 60)).toBeLessThanOrEqual(1);
    }
    await clock.advance(10_000);
    expect(settled).toHaveLength(300);
    expect(service).toMatchObject({ answered: 60, refused: 0 });
  });

  it('with 130 seconds: a hundred and eighty are answered', async () => {
    const { clock, service, offer } = limited();
    const outcomes = Promise.all(offer(300, within(130_000, clock)));
    await clock.advance(130_000);
    expect((await outcomes).filter(isRefused)).toHaveLength(120);
    expect(service).toMatchObject({ answered: 180, refused: 0 });
  });

  it('tell who is refused when he may come back behind those who stay', async () => {
    const { clock, offer } = limited();
    // These spend the window and wait for the next one.
    const patient = Promise.all(offer(120, within(130_000, clock)));
    await clock.advance(5_000);
    const [refused] = await Promise.all(offer(1, within(10_000, clock)));
    expect(isRefused(refused)).toBe(true);
    const seconds = Number((refused as CodedError).extensions['retryAfterSeconds']);
    expect(Math.abs(seconds - 117)).toBeLessThanOrEqual(1);
    await clock.advance(125_000);
    expect((await patient).filter(isRefused)).toHaveLength(0);
    const [answered] = await Promise.all([...offer(1, within(10_000, clock)), clock.advance(1_000)]);
    expect(isRefused(answered)).toBe(false);
  });

  it('are never more than six in flight', async () => {
    const { clock, transport, offer } = limited();
    transport.respond = null;
    const outcomes = offer(20, within(10_000, clock));
    await clock.advance(0);
    expect(transport.sent).toHaveLength(6);
    transport.sent[3]?.respond({});
    await clock.advance(0);
    expect(transport.sent).toHaveLength(7);
    await clock.advance(10_000);
    await Promise.all(outcomes);
    expect(clock.pending).toBe(0);
  });
});

describe('counts and walks of a whole list', () => {
  it('take at most half of what is left, also of another minute and of what another program leaves', async () => {
    const { clock, transport, toolkit, service, offer } = limited();
    let number = 0;
    const offerBulk = (count: number) => {
      const outcomes = Array.from({ length: count }, () => {
        number += 1;
        const request = search({ path: `/v0/mission/bulk-${number}`, bulk: true });
        return toolkit.call(request, within(5_000, clock)).catch((error: unknown) => error);
      });
      return Promise.all(outcomes).then((all) => all.filter(isRefused).length);
    };
    service.spend(20);
    await Promise.all(offer(1));
    const first = offerBulk(39);
    await clock.advance(6_000);
    // 39 of 60 are left.
    expect(await first).toBe(39 - 19);
    expect(await offerBulk(1)).toBe(1);
    const others = Promise.all(offer(20, within(5_000, clock)));
    await clock.advance(5_000);
    expect((await others).filter(isRefused)).toEqual([]);
    expect(service).toMatchObject({ answered: 40, refused: 0 });
    expect(transport.sent).toHaveLength(40);
    await clock.advance(2 * MINUTE);
    const next = offerBulk(50);
    await clock.advance(6_000);
    expect(await next).toBe(50 - 30);
  });
});

describe('headers that leave less than is reserved', () => {
  const headersOf = (remaining: number) => ({
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': '5',
  });

  it('refuse at once who cannot wait for the next window, and let the others go in it', async () => {
    const { clock, transport, offer } = limited();
    transport.respond = null;
    const patient = Promise.all(offer(7, within(30_000, clock)));
    await clock.advance(0);
    const hasty = Promise.all(offer(3, within(4_000, clock)));
    await clock.advance(0);
    transport.sent[0]?.respond({}, 200, headersOf(0));
    expect(await hasty).toMatchObject(Array(3).fill({ code: 'RATE_LIMITED', extensions: { retryAfterSeconds: 5 } }));
    await clock.advance(6_000 - 1);
    expect(transport.sent).toHaveLength(6);
    await clock.advance(1);
    expect(transport.sent).toHaveLength(7);
    for (const one of transport.sent) one.respond({});
    expect((await patient).filter((outcome) => outcome instanceof Error)).toEqual([]);
  });

  it('hold back what they may have counted already, until a response shows it or their window has ended', async () => {
    const { clock, transport, offer } = limited();
    transport.respond = null;
    const outcomes = Promise.all(offer(8, within(30_000, clock)));
    await clock.advance(0);
    transport.sent[0]?.respond({}, 200, headersOf(2));
    await clock.advance(6_000 - 1);
    expect(transport.sent).toHaveLength(6);
    await clock.advance(1);
    expect(transport.sent).toHaveLength(7);
    for (const one of transport.sent) one.respond({});
    await clock.advance(0);
    transport.sent[7]?.respond({});
    expect((await outcomes).filter((outcome) => outcome instanceof Error)).toEqual([]);
  });
});

describe('a refusal of the service', () => {
  it('stops its whole scope until the window that it names has ended', async () => {
    const { clock, service, transport, offer } = limited();
    service.spend(60);
    const outcomes = Promise.all(offer(3, within(100_000, clock)));
    await clock.advance(61_000 - 1);
    const early = transport.sent.length;
    await clock.advance(2_000);
    await outcomes;
    expect(early).toBe(3);
    expect(service.answered).toBe(0);
    expect((await Promise.all(offer(1, within(1_000, clock)))).some(isRefused)).toBe(false);
  });

  it('that names an earlier end than the responses before it is believed: all are told the same, and sent when it is over', async () => {
    const { clock, transport, offer } = limited();
    const headersOf = (remaining: number, reset: number) => ({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(reset),
    });
    transport.respond = () => ({ body: {}, headers: headersOf(40, 60) });
    await Promise.all(offer(1, within(1_000, clock)));
    transport.respond = () => ({ body: {}, status: 429, headers: { ...headersOf(0, 4), 'retry-after': '4' } });
    const refused = [
      await Promise.all(offer(1, within(1_000, clock))),
      await Promise.all(offer(1, within(1_000, clock))),
    ];
    expect(refused.flat()).toMatchObject(Array(2).fill({ code: 'RATE_LIMITED', extensions: { retryAfterSeconds: 4 } }));
    transport.respond = () => ({ body: {}, headers: headersOf(55, 60) });
    const patient = Promise.all(offer(3, within(10_000, clock)));
    await clock.advance(5_000 - 1);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    expect((await patient).filter(isRefused)).toEqual([]);
    expect(transport.sent).toHaveLength(5);
  });

  it('refuses at once who has a place in the window and cannot wait so long', async () => {
    const { clock, transport, offer } = limited();
    transport.respond = null;
    const settled: unknown[] = [];
    for (const response of offer(8, within(10_000, clock))) void response.then((outcome) => settled.push(outcome));
    await clock.advance(0);
    expect(transport.sent).toHaveLength(6);
    transport.sent[0]?.respond({}, 429, { 'retry-after': '30' });
    await clock.advance(0);
    expect(settled.map(isRefused)).toEqual([true, true, true]);
    await clock.advance(10_000);
  });

  it('without a word is the proxy’s: it slows the pace and says nothing of the window', async () => {
    const pace: QuotaScope = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 };
    const { clock, transport, offer } = limited([SCOPE, pace]);
    transport.respond = () => ({ body: '<html>', status: 429 });
    const [outcome] = await Promise.all(offer(1, within(1_000, clock)));
    expect(outcome).toMatchObject({ code: 'RATE_LIMITED', extensions: { retryAfterSeconds: 1 } });
    transport.respond = () => ({ body: {} });
    const outcomes = Promise.all(offer(10, within(2_000, clock)));
    await clock.advance(0);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1_000);
    expect((await outcomes).filter(isRefused)).toEqual([]);
  });

  it('names two times: the earlier is believed, and after a second refusal in a row the later', async () => {
    const { clock, transport, offer } = limited();
    const sentAtSeconds: number[] = [];
    const startedMs = clock.monotonicMs();
    transport.respond = () => {
      sentAtSeconds.push(Math.round((clock.monotonicMs() - startedMs) / 1_000));
      return { body: {}, status: 429, headers: { 'x-ratelimit-reset': '20', 'retry-after': '60' } };
    };
    const outcomes: Promise<unknown>[] = [];
    // Each is sent after the one before it was refused.
    for (let time = 0; time < 3; time += 1) {
      outcomes.push(...offer(1, within(1_000_000, clock)));
      await clock.advance(15_000);
    }
    await clock.advance(MINUTE);
    expect((await Promise.all(outcomes)).map(isRefused)).toEqual([true, true, true]);
    expect(sentAtSeconds).toEqual([0, 21, 82]);
  });

  it('counts once for all calls that it meets together', async () => {
    const { clock, transport, offer } = limited();
    transport.respond = null;
    const together = Promise.all(offer(6, within(1_000_000, clock)));
    await clock.advance(0);
    for (const sent of [...transport.sent]) sent.respond({}, 429, { 'x-ratelimit-reset': '5', 'retry-after': '60' });
    expect((await together).map(isRefused)).toEqual(Array(6).fill(true));
    transport.respond = () => ({ body: {} });
    const next = Promise.all(offer(1, within(1_000_000, clock)));
    await clock.advance(6_000);
    expect((await next).filter(isRefused)).toEqual([]);
    expect(transport.sent).toHaveLength(7);
  });
});

describe('turns', () => {
  it('let a request of one call go within two free places of a request of two hundred', async () => {
    const { clock, transport, offer } = limited([{ ...SCOPE, limit: 600 }], 600);
    transport.respond = null;
    offer(200, within(25_000, clock));
    await clock.advance(0);
    offer(1, within(25_000, clock));
    const small = '/v0/mission/201';
    transport.sent[0]?.respond({});
    transport.sent[1]?.respond({});
    await clock.advance(0);
    expect(transport.sent.slice(8).map(({ request }) => request.url.pathname)).toContain(small);
    await clock.advance(25_000);
  });

  it('let people go before background work, which leaves them half of the window', async () => {
    const { clock, transport, offer } = limited();
    offer(100, within(300_000, clock, { background: true }));
    await clock.advance(1_000);
    expect(transport.sent).toHaveLength(30);
    const person = Promise.all(offer(30, within(1_000, clock)));
    await clock.advance(1_000);
    expect((await person).filter(isRefused)).toEqual([]);
    expect(transport.sent).toHaveLength(60);
    await clock.advance(300_000);
  });

  it('leave a share to writes where a scope says so', async () => {
    const { toolkit, clock, transport, offer } = limited([{ ...SCOPE, headroomForWrites: 0.05 }]);
    const people = offer(100, within(1_000, clock));
    await clock.advance(1_000);
    expect((await Promise.all(people)).filter((outcome) => !isRefused(outcome))).toHaveLength(57);
    const exchange = search({ method: 'POST', cache: 'never', path: '/token', form: [] });
    await toolkit.call(exchange, within(1_000, clock));
    expect(transport.sent).toHaveLength(58);
  });

  it('turns are lost by who leaves, and nothing else', async () => {
    const { toolkit, clock, transport } = limited([{ ...SCOPE, limit: 1 }], 1);
    transport.respond = null;
    const call = (path: string, operation: OperationContext) =>
      toolkit.call(search({ path }), operation).catch(() => 'left');
    const first = call('/1', within(25_000, clock));
    await clock.advance(0);
    const leaver = within(200_000, clock);
    const left = call('/2', leaver);
    const patient = call('/3', within(200_000, clock));
    await clock.advance(0);
    leaver.leave();
    expect(await left).toBe('left');
    transport.sent[0]?.respond({ number: 1 });
    expect(await first).toEqual({ number: 1 });
    await clock.advance(61_000);
    expect(transport.sent.map(({ request }) => request.url.pathname)).toEqual(['/1', '/3']);
    transport.sent[1]?.respond({ number: 3 });
    expect(await patient).toEqual({ number: 3 });
  });
});

describe('a call that never leaves', () => {
  it('costs no spend: refused by its deadline, it leaves the window as it was', async () => {
    const { clock, service, offer } = limited();
    await Promise.all(offer(5, within(1_000, clock)));
    await Promise.all(offer(200, within(1_000, clock)));
    expect(service).toMatchObject({ answered: 60, refused: 0 });
    await clock.advance(62_000);
    const outcomes = await Promise.all(offer(60, within(1_000, clock)));
    expect(outcomes.filter(isRefused)).toEqual([]);
    expect(service).toMatchObject({ answered: 120, refused: 0 });
  });

  it('costs none of one limit where another refuses it', async () => {
    const narrow = { ...SCOPE, name: 'narrow', limit: 1 };
    const scopes = ({ path }: { readonly path: string }) => (path.startsWith('/narrow') ? [SCOPE, narrow] : [SCOPE]);
    const { clock, transport, toolkit } = createHarness({ dialect: { headers: () => ({}), scopes } });
    const call = (path: string) => toolkit.call(search({ path }), within(9_000, clock)).catch(isRefused);
    void call('/narrow/0');
    const refused = [1, 2, 3, 4, 5].map((number) => call(`/narrow/${number}`));
    await clock.advance(0);
    expect(await Promise.all(refused)).toEqual(Array(5).fill(true));
    for (const number of [1, 2, 3, 4, 5]) void call(`/wide/${number}`);
    await clock.advance(0);
    expect(transport.sent).toHaveLength(6);
  });
});

it('calls that are refused together are so in turns of the event loop, as much follows from each', async () => {
  const dialect = { headers: () => ({}), scopes: () => [{ ...SCOPE, limit: 1 }] };
  const { transport } = createHarness();
  transport.respond = () => ({ body: {} });
  const toolkit = createToolkit('http://service.test', { dialect }, { transport });
  const work = () => {
    for (const untilMs = performance.now() + 1.1; performance.now() < untilMs; );
  };
  const call = (number: number) =>
    toolkit.call(search({ path: `/${number}` }), createOperation({ remainingMs: () => 1_000 }));
  const turns = await turnsDuring(() => Promise.all(Array.from({ length: 50 }, (_, at) => call(at).catch(work))));
  expect(turns).toBeGreaterThan(40);
});

it('a share that allows no call while Redis is away is not called a spent quota', async () => {
  const away = { change: () => Promise.reject(new Error('away')) };
  const scopes = [{ ...SCOPE, limit: 2 }];
  const dialect = { headers: () => ({}), scopes: () => scopes };
  const { toolkit, clock } = createHarness({ dialect }, { sharedQuota: () => away });
  const [, second] = [1, 2].map((number) =>
    toolkit.call(search({ path: `/v0/mission/${number}` }), within(1_000, clock)).catch((error: unknown) => error),
  );
  await clock.advance(1_000);
  expect(await second).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/^Redis is out of reach/),
  });
});
