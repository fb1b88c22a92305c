import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POLLING } from '../polling.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

describe('A gateway whose users are logged in', () => {
  let house: AuthStack;
  beforeAll(async () => {
    house = await startAuthStack({ shape: 'in process' });
  });
  afterAll(() => house.close());

  it('keeps the token that was refused once with 401, and asks again with it', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    house.forgetCalls();
    const end = house.sandbox.waste.fault({ kind: 'status', status: 401, path: '/' });
    const { errors } = await house.send(browser, '{ viewer { email } }');
    end();
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 3 } }]);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true, reconnect: false } });
    const again = async () => (await house.send(browser, '{ viewer { email } }')).data?.viewer;
    await expect.poll(again, { ...POLLING, interval: 500 }).toEqual({ email: user.email });
    expect(house.calls()).toEqual([`waste-identity POST / ${user.email}`, `waste-identity POST / ${user.email}`]);
  });

  it('ends a login that came from no page on a page, where there is no home', async () => {
    const bare = await startAuthStack({ shape: 'in process', env: { GRAPHIQL: 'off' }, awaitsExport: false });
    const { browser, user } = bare.person();
    const url = await bare.callbackFor(browser, user, '');
    const page = await browser.get(url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>You are logged in.')]);
    expect(page.text).not.toContain('href');
    expect(await bare.session(browser)).toMatchObject({ waste: { connected: true } });
    expect(bare.exchanges()).toBe(1);
    await bare.close();
  });

  it('changes the session id at a login, ends the session before it, and adopts no unknown id', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const before = house.sessionCookie(browser);
    await house.logIn(browser, user);
    const after = house.sessionCookie(browser);
    expect(after).not.toBe(before);
    const thief = { headers: { cookie: `passerelle=${before}` } };
    const reported = await fetch(`${house.url}/auth/session`, thief);
    expect(await reported.json()).toMatchObject({ waste: { connected: false } });
    // This response may arrive after that of the login, so it must not delete the new cookie.
    expect(reported.headers.getSetCookie()).toEqual([]);
    const planted = 'A'.repeat(43);
    const victim = house.person(1);
    victim.browser.jar.set('127.0.0.1', new Map([['passerelle', planted]]));
    await house.logIn(victim.browser, victim.user);
    expect(house.sessionCookie(victim.browser)).not.toBe(planted);
  });
});
