import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../sandbox/server/types.js';
import type { WasteSwitches } from '../../sandbox/waste/switches.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

/** Request deadline in these tests, in milliseconds; a silent token endpoint takes all of it. */
const DEADLINE_MS = 1_500;
/** Allowance beyond three deadlines, in logins timed at the same moment; one takes 60 ms on a quiet machine. */
const LOGINS = 20;

interface Case {
  readonly name: string;
  readonly fault?: Omit<Fault, 'path'>;
  readonly token?: Partial<WasteSwitches['token']>;
  /** Milliseconds to wait, after which the code is too old. */
  readonly wait?: number;
  readonly status: number;
  readonly sentence: string;
}

const UNREADABLE = { status: 502, sentence: 'does not respond as it should' };
const DOWN = { status: 503, sentence: 'does not respond as it should' };
const OURS = { status: 503, sentence: 'does not accept this gateway' };

const CASES: readonly Case[] = [
  { name: 'a plain-text 401', fault: { kind: 'status', status: 401 }, ...OURS },
  { name: 'a JSON 403 (the code is too old)', wait: 660_000, status: 400, sentence: 'no longer accepts the code' },
  { name: 'an HTML 401', fault: { kind: 'html', status: 401 }, ...DOWN },
  { name: 'an HTML 502', fault: { kind: 'html', status: 502 }, ...DOWN },
  {
    name: 'a JSON 501',
    fault: { kind: 'status', status: 501 },
    status: 503,
    sentence: 'does not respond as it should',
  },
  { name: 'HTML with status 200', fault: { kind: 'html', status: 200 }, ...UNREADABLE },
  {
    name: 'a redirect',
    fault: { kind: 'redirect', headers: { location: 'http://127.0.0.1:9/' } },
    ...UNREADABLE,
  },
  { name: '5 MB', fault: { kind: 'big-body', bytes: 5 * 1024 * 1024 }, ...UNREADABLE },
  { name: 'a body that is cut', fault: { kind: 'reset-mid-body' }, ...DOWN },
  { name: 'no answer', fault: { kind: 'silent' }, status: 504, sentence: 'does not respond as it should' },
  { name: 'a dropped connection', fault: { kind: 'drop' }, ...DOWN },
  { name: 'another token type', token: { type: 'mac' }, ...UNREADABLE },
  { name: 'no token', token: { members: { access_token: undefined } }, ...UNREADABLE },
  { name: 'a token that is no text', token: { members: { access_token: { a: 1 } } }, ...UNREADABLE },
  { name: 'CR LF in the token', token: { members: { access_token: 'good\r\nx-evil: 1' } }, ...UNREADABLE },
];

describe('an exchange that is answered by', () => {
  let house: AuthStack;
  beforeAll(async () => {
    house = await startAuthStack({ shape: 'in process', env: { REQUEST_DEADLINE_MS: String(DEADLINE_MS) } });
  });
  afterAll(() => house.close());

  /** Logs in between two failures, so that each is tested by itself and not as an outage; returns the milliseconds. */
  async function recover(): Promise<number> {
    const { browser, user } = house.person(1);
    const startedAt = performance.now();
    await house.logIn(browser, user);
    return performance.now() - startedAt;
  }

  it.each(CASES)('$name ends in a clear page, in time, with nothing kept', async (row) => {
    const { waste } = house.sandbox;
    const { browser, user } = house.person();
    const url = await house.callbackFor(browser, user, '/graphiql?of=mine');
    house.forgetCalls();
    const stop = row.fault === undefined ? () => {} : waste.fault({ ...row.fault, path: '/oauth2/token' });
    const { token } = waste.switches;
    waste.switches.token = { ...token, ...row.token };
    if (row.wait !== undefined) waste.advance(row.wait);
    const startedAt = performance.now();
    const page = await browser.get(url);
    const tookMs = performance.now() - startedAt;
    stop();
    waste.switches.token = token;

    expect([page.status, /<h1>(.*)<\/h1>/.exec(page.text)?.[1]]).toEqual([
      row.status,
      expect.stringContaining(row.sentence),
    ]);
    expect(house.exchanges()).toBe(1);
    if (page.text.includes('again</a>')) expect(page.text).toContain('returnTo=%2Fgraphiql%3Fof%3Dmine');
    expect(page.text).toContain('<a href="/graphiql?of=mine">Back to the page</a>');
    const cookies = [...(browser.jar.get('127.0.0.1')?.keys() ?? [])];
    expect(cookies.filter((name) => name.startsWith('passerelle'))).toEqual([]);
    expect(await house.session(browser)).toEqual({ waste: { connected: false, reconnect: false, user: null } });
    const { searchParams } = new URL(url);
    for (const secret of [searchParams.get('code'), searchParams.get('state'), 'x-evil']) {
      expect(page.text + house.log.text()).not.toContain(secret);
    }
    const loginMs = await recover();
    expect(tookMs).toBeLessThan(3 * DEADLINE_MS + LOGINS * loginMs);
  });

  it.each(['bearer', 'BEARER'])('a token of type %s is taken', async (type) => {
    const { browser, user } = house.person();
    house.sandbox.waste.switches.token.type = type;
    expect((await house.logIn(browser, user)).status).toBe(200);
    house.sandbox.waste.switches.token.type = null;
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
  });

  it('a token whose owner cannot be read stores nothing: the token response is no proof of identity', async () => {
    const { browser, user } = house.person();
    const url = await house.callbackFor(browser, user);
    house.forgetCalls();
    house.sandbox.waste.switches.blacklisted = true;
    const page = await browser.get(url);
    house.sandbox.waste.switches.blacklisted = false;
    // The platform blocks its user, and says so with status 200 (waste-identity 5.2).
    expect([page.status, page.text]).toEqual([429, expect.stringContaining('wait a minute')]);
    expect(page.headers.get('retry-after')).toBe('60');
    expect(house.exchanges()).toBe(1);
    expect(house.sessionCookie(browser)).toBeUndefined();
    await recover();
  });

  // Last, because from here on the toolkit knows that the quota is spent.
  it('an HTML 429 ends in a page that says when to come back', async () => {
    const { browser, user } = house.person();
    const url = await house.callbackFor(browser, user);
    house.sandbox.waste.fault({ kind: 'rate-limit', path: '/oauth2/token', times: 1 });
    const page = await browser.get(url);
    expect([page.status, page.text]).toEqual([429, expect.stringContaining('is busy')]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(house.sessionCookie(browser)).toBeUndefined();
  });
});
