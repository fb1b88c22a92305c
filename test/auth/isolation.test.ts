import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';
import { type Browser, openBrowser } from './support/browser.js';
import { type Echo, startEcho } from './support/echo.js';

/** Each sends a dozen queries through the whole product; test/rest/isolation.test.ts sends the toolkit thousands. */
const RUNS = runs(20);

/** The operations of the callers. `both` needs two services, each with its own credential. */
const OPERATIONS = {
  mission: '{ mission(id: "5f99dbe75eb1ad767733b206") { title } }',
  offer: '{ jobOffer(id: "665f1c3e1f9c8e0012345678") { offer { title } } }',
  viewer: '{ viewer { id email } }',
  both: '{ mission(id: "5f99dbe75eb1ad767733b206") { title } viewer { email } }',
} as const;

const steps = array(
  record({
    caller: nat({ max: 1 }),
    operation: constantFrom<(keyof typeof OPERATIONS)[]>('mission', 'mission', 'offer', 'viewer', 'both'),
    // A repeated query of the same caller hits the cache or, at the same moment, the call in flight.
    pause: nat({ max: 3 }),
  }),
  { minLength: 4, maxLength: 14 },
);

describe('two callers with keys and sessions of their own, cache and coalescing on', () => {
  let echo: Echo;
  let house: AuthStack;
  const browsers: Browser[] = [openBrowser(), openBrowser()];
  beforeAll(async () => {
    echo = await startEcho();
    const waste = { WASTE_AUTH_URL: echo.url, WASTE_API_URL: echo.url };
    house = await startAuthStack({
      shape: 'in process',
      env: { ...waste, WORK_STUDY_URL: `${echo.url}/api`, VOLUNTEERING_URL: echo.url, CACHE_DIR: 'off' },
    });
    for (const [index, browser] of browsers.entries()) {
      const start = await browser.get(`${house.url}/auth/waste/login`);
      const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const callback = new URLSearchParams({ code: `caller-${index}`, state });
      await browser.get(`${house.url}/auth/waste/callback?${callback}`);
    }
  });
  afterAll(async () => {
    await house.close();
    await echo.close();
  });

  it(`get no byte of each other, in ${RUNS} sets of interleaved queries`, async () => {
    let run = 0;
    let requested = 0;
    let called = 0;
    const property = asyncProperty(
      steps,
      array(nat({ max: 9 }), { minLength: 1, maxLength: 20 }),
      async (plan, order) => {
        run += 1;
        echo.respondInOrder(order);
        echo.countCalls();
        const keysOf = (caller: number) => ({
          'x-volunteering-key': `vo-caller-${caller}-run-${run}`,
          'x-work-study-key': `ws-caller-${caller}-run-${run}`,
        });
        const responses = await Promise.all(
          plan.map(async ({ caller, operation, pause }) => {
            for (let turn = 0; turn < pause; turn += 1) await new Promise(setImmediate);
            const page = await browsers[caller]!.post(
              `${house.url}/graphql`,
              JSON.stringify({ query: OPERATIONS[operation] }),
              { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...keysOf(caller) },
            );
            return { caller, operation, text: page.text };
          }),
        );
        requested += plan.length;
        called += echo.countCalls();
        for (const { caller, operation, text } of responses) {
          expect(JSON.parse(text).data, text).toEqual(expected(operation, caller, run));
          expect(text).not.toContain(`caller-${1 - caller}`);
          expect(text.replaceAll(`-run-${run}`, '')).not.toContain('-run-');
        }
      },
    );
    await assert(property, { numRuns: RUNS, seed: 42, endOnFailure: true });
    expect(echo.strays).toEqual([]);
    // Otherwise nothing was shared, and the property was not tested.
    expect(called).toBeLessThan(requested);
  });
});

function expected(operation: keyof typeof OPERATIONS, caller: number, run: number): object {
  const mission = { title: `seen vo-caller-${caller}-run-${run}` };
  const jobOffer = { offer: { title: `seen ws-caller-${caller}-run-${run}` } };
  const token = `waste-caller-${caller}`;
  switch (operation) {
    case 'mission':
      return { mission };
    case 'offer':
      return { jobOffer };
    case 'viewer':
      return { viewer: { id: token, email: `seen ${token}` } };
    case 'both':
      return { mission, viewer: { email: `seen ${token}` } };
  }
}
