import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POLLING } from '../polling.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

describe('A gateway whose users are logged in', () => {
  let house: AuthStack;
  beforeAll(async () => {
    house = await startAuthStack({ shape: 'in process', awaitsExport: false });
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
    for (const page of [await browser.get(url), await browser.get(url)]) {
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>You are logged in</h1>')]);
      expect(page.text).not.toContain('href');
    }
    expect(await bare.session(browser)).toMatchObject({ waste: { connected: true } });
    expect(bare.exchanges()).toBe(1);
    await bare.close();
  });
});
