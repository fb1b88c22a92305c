import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuthStack, SHAPES, startAuthStack } from './support/auth-stack.js';

/** Guards that one account of the platform has one allowance of the operator's calls, however often it logs in. */

let house: AuthStack;

const LIMIT = 5;
const open = async (shape: (typeof SHAPES)[number], env: Record<string, string> = {}) => {
  house = await startAuthStack({ shape, env: { CALLER_CALLS_PER_MINUTE: String(LIMIT), ...env } });
};

/** Each is another operation, of one call with the operator's key. */
let operations = 0;
const cold = () => `{ missions(first: ${++operations}) { nodes { id } } }`;
const MANY = 3;

/** Logs a user in with this many browsers. */
async function browsersOf(number: number, count: number) {
  const browsers = [];
  for (let one = 0; one < count; one += 1) {
    const { browser, user } = house.person(number);
    await house.logIn(browser, user);
    browsers.push(browser);
  }
  return browsers;
}

/** Calls of the operator that are made for requests, which are sent in turns. */
async function callsFor(senders: readonly (() => Promise<unknown>)[]): Promise<number> {
  house.forgetCalls();
  for (let round = 0; round < LIMIT; round += 1) for (const send of senders) await send();
  return house.calls().filter((line) => line.startsWith('volunteering')).length;
}

describe.each(SHAPES)('One account, %s,', (shape) => {
  beforeAll(() => open(shape));
  afterAll(() => house.close());

  it('has one allowance in all of its sessions, and another account has its own', async () => {
    const [mine, theirs] = [await browsersOf(0, MANY), await browsersOf(1, 1)];
    expect(await callsFor(mine.map((browser) => () => house.send(browser, cold())))).toBe(LIMIT);
    expect(await callsFor(theirs.map((browser) => () => house.send(browser, cold())))).toBe(LIMIT);
  });

  it('has one allowance with all of its tokens, at one address', async () => {
    const { user } = house.person(2);
    const tokens = Array.from({ length: MANY }, () => house.sandbox.waste.issueToken(user.email));
    const send = (authorization: string) =>
      fetch(`${house.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query: cold() }),
      }).then((response) => response.text());
    expect(await callsFor(tokens.map((token) => () => send(`Bearer ${token}`)))).toBe(LIMIT);
  });
});

it('A session that the platform refused is still counted by its user, who has no more by new keys', async () => {
  await open('in process', { CALLER_REQUESTS_PER_MINUTE: '40' });
  onTestFinished(() => house.close());
  const [browser] = await browsersOf(0, 1);
  if (browser === undefined) return;
  const { user } = house.person();
  const send = (query: string, key: string) =>
    browser.post(`${house.url}/graphql`, JSON.stringify({ query }), {
      'content-type': 'application/json',
      'x-work-study-key': key,
    });
  expect(await callsFor(Array.from({ length: MANY }, (_, n) => () => send(cold(), `invented-${n}`)))).toBe(LIMIT);
  house.sandbox.waste.revoke(user.email);
  expect((await house.send(browser, '{ viewer { id } }')).errors?.[0]?.extensions.code).toBe('TOO_MANY_REQUESTS');
  expect(await callsFor([() => house.send(browser, cold())])).toBe(0);
});
