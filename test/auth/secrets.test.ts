import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { freePort } from '../bounds/support/free-port.js';
import { SUBGRAPH_TOKEN } from '../scenarios/stack.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';
import type { Browser } from './support/browser.js';
import { startRedis } from './support/redis.js';

/** Guards that no secret of a login is shown, logged, put into metrics or stored. */

const SESSION_SECRET = 'a-session-secret-of-more-than-32-characters';

/** Goes through a successful login, a refusal, a failure and a revocation; returns the secrets, which must not show. */
async function goThroughEverything(house: AuthStack): Promise<{ browsers: Browser[]; secrets: Set<string> }> {
  const { waste } = house.sandbox;
  const secrets = new Set([SESSION_SECRET, waste.client.secret, ...waste.userTokens.values()]);
  secrets.add(Buffer.from(`${waste.client.id}:${waste.client.secret}`).toString('base64'));
  const browsers: Browser[] = [];
  const collectCookies = (browser: Browser) => {
    for (const cookies of browser.jar.values()) {
      for (const [name, value] of cookies) {
        if (name.startsWith('passerelle')) for (const id of value.split('.')) secrets.add(id);
      }
    }
  };
  const start = async (number: number) => {
    const { browser, user } = house.person(number);
    browsers.push(browser);
    // A valid token that the test knows.
    waste.switches.token.members = { access_token: waste.userTokens.get(user.email) };
    const callback = await house.callbackFor(browser, user);
    collectCookies(browser);
    for (const name of ['code', 'state']) secrets.add(new URL(callback).searchParams.get(name) ?? '');
    return { browser, user, callback };
  };

  const good = await start(0);
  await good.browser.visit(good.callback);
  collectCookies(good.browser);
  const query = '{ viewer { name email companies { siret } } departements { nom } }';
  expect((await house.send(good.browser, query)).errors).toBeUndefined();
  await good.browser.get(good.callback);
  await house.session(good.browser);

  const refused = await start(1);
  await refused.browser.get(refused.callback.replace(/code=[^&]*/, 'error=access_denied'));

  const failed = await start(2);
  const stop = waste.fault({ kind: 'html', path: '/oauth2/token' });
  await failed.browser.get(failed.callback);
  stop();

  const revoked = await start(3);
  await revoked.browser.visit(revoked.callback);
  collectCookies(revoked.browser);
  waste.revoke(revoked.user.email);
  await house.send(revoked.browser, query);

  const gone = await start(1);
  await gone.browser.visit(gone.callback);
  collectCookies(gone.browser);
  await gone.browser.post(`${house.url}/auth/waste/logout`, undefined, { 'x-passerelle-csrf': '1' });

  for (const key of await sendWithKeys(house, good.browser)) secrets.add(key);
  for (const { body } of waste.calls) {
    const { code_verifier: verifier } = (body ?? {}) as Record<string, unknown>;
    if (typeof verifier === 'string') secrets.add(verifier);
  }
  return { browsers, secrets };
}

/** Sends a caller's keys, once valid and once unknown; returns them and the operator's, none of which may show. */
async function sendWithKeys({ url, sandbox: { keys } }: AuthStack, browser: Browser): Promise<string[]> {
  const json = { 'content-type': 'application/json', 'x-passerelle-trace': '1' };
  const query = JSON.stringify({
    query: '{ missions(first: 1) { nodes { id } } formations(first: 1) { totalCount } sources { name state } }',
  });
  const [volunteering, workStudy] = [keys.volunteering.alice, keys.workStudy.alice];
  const unknown = 'a-key-that-no-service-ever-issued';
  for (const [own, other] of [
    [workStudy, volunteering],
    [unknown, unknown],
  ] as const) {
    const headers = { ...json, 'x-work-study-key': own, 'x-volunteering-key': other };
    const page = await browser.post(`${url}/graphql`, query, headers);
    expect([page.status, page.text.includes('CREDENTIALS_REJECTED')]).toEqual([200, own === unknown]);
  }
  return [volunteering, workStudy, unknown, keys.volunteering.operator, keys.workStudy.operator, SUBGRAPH_TOKEN];
}

it('no code, state, verifier, token, session, key or secret is in any log, trace, metric, page or row', async () => {
  const redis = await startRedis();
  const metricsPort = await freePort();
  const house = await startAuthStack({
    shape: 'in process',
    env: {
      LOG_LEVEL: 'trace',
      METRICS_PORT: String(metricsPort),
      SESSION_SECRET,
      ...(redis !== null && { CACHE_URL: redis.url }),
    },
  });
  const { browsers, secrets } = await goThroughEverything(house);
  expect(secrets.size).toBeGreaterThan(20);

  const places: Record<string, string> = {
    log: house.log.text(),
    metrics: await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    responses: browsers.flatMap(({ seen }) => seen.flatMap((page) => shownBy(house, page))).join('\n'),
  };
  if (redis !== null) {
    const rows = await dump(redis.url);
    expect(rows, 'sessions lie in Redis').toContain('passerelle:session:');
    places['Redis'] = rows;
    for (const { email, name } of house.sandbox.world.wasteUsers) {
      expect(rows).not.toContain(email);
      expect(rows).not.toContain(name);
    }
  }
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(0);
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
  }
  await house.close();
  await redis?.close();
});

/** What the gateway sent, without cookies and the address of the platform, which has to contain a state. */
function shownBy(house: AuthStack, { url, headers, text }: Browser['seen'][number]): string[] {
  if (!url.startsWith(house.url)) return [];
  const shown = [...headers].filter(
    ([name, value]) => name !== 'set-cookie' && !(name === 'location' && value.startsWith(house.sandbox.waste.authUrl)),
  );
  return [text, ...shown.map(([name, value]) => `${name}: ${value}`)];
}

async function dump(url: string): Promise<string> {
  const redis = new Redis(url);
  const rows: string[] = [];
  for (const key of await redis.keys('*')) {
    const value = (await redis.type(key)) === 'string' ? await redis.get(key) : '';
    rows.push(`${key} ${value}`);
  }
  redis.disconnect();
  return rows.join('\n');
}
