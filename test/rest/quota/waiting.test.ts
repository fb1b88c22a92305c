import { expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import type { QuotaScope } from '../../../subgraphs/rest/quota/account.js';
import { createLimitedService } from '../support/limited-service.js';
import { createOperation } from '../support/operation.js';
import { createHarness, search } from '../support/toolkit.js';

/** Guards the bound on calls that wait for a permit. */

const SECOND = 1_000;
const LIMIT = 60;
const SCOPE: QuotaScope = { kind: 'window', name: 'search', limit: LIMIT, windowMs: 60 * SECOND };
/** Longer than any wait in these tests. */
const PATIENT_MS = 1_000 * SECOND;

/** A harness that sends distinct searches of very patient callers; `send` returns the outcome. */
function openHarness() {
  const harness = createHarness({ dialect: { headers: () => ({}), scopes: () => [SCOPE] } });
  let number = 0;
  const send = () => {
    number += 1;
    const operation = createOperation({ remainingMs: () => PATIENT_MS });
    return harness.toolkit.call(search({ path: `/${number}` }), operation).catch((error: unknown) => error);
  };
  return { ...harness, send };
}

const isRefused = (outcome: unknown) => outcome instanceof CodedError && outcome.code === 'RATE_LIMITED';

it('at most two windows’ worth of calls wait, however patient they are: the others are refused at once', async () => {
  const { clock, transport, send } = openHarness();
  const service = createLimitedService(clock, LIMIT);
  transport.respond = service.respond;
  const settled: unknown[] = [];
  for (let caller = 0; caller < 300; caller += 1) void send().then((outcome) => settled.push(outcome));
  await clock.advance(0);
  expect(settled.filter(isRefused)).toHaveLength(300 - 3 * LIMIT);
  await clock.advance(200 * SECOND);
  expect(settled).toHaveLength(300);
  expect(service).toMatchObject({ answered: 3 * LIMIT, refused: 0 });
});

it('after a refusal the earlier of the two times that it names is believed, and after a second one the later', async () => {
  const { clock, transport, send } = openHarness();
  const sentAtSeconds: number[] = [];
  transport.respond = () => {
    sentAtSeconds.push(Math.round(clock.monotonicMs() / SECOND));
    return { body: {}, status: 429, headers: { 'x-ratelimit-reset': '20', 'retry-after': '60' } };
  };
  const startedAtSeconds = Math.round(clock.monotonicMs() / SECOND);
  const outcomes: Promise<unknown>[] = [];
  // Each is sent after the one before it was refused.
  for (let time = 0; time < 3; time += 1) {
    outcomes.push(send());
    await clock.advance(15 * SECOND);
  }
  await clock.advance(60 * SECOND);
  expect((await Promise.all(outcomes)).map(isRefused)).toEqual([true, true, true]);
  expect(sentAtSeconds.map((seconds) => seconds - startedAtSeconds)).toEqual([0, 21, 82]);
});

it('calls that are refused together are one refusal, not several in a row', async () => {
  const { clock, transport, send } = openHarness();
  transport.respond = null;
  const together = Promise.all(Array.from({ length: 6 }, send));
  await clock.advance(0);
  const headers = { 'x-ratelimit-reset': '5', 'retry-after': '60' };
  for (const sent of [...transport.sent]) sent.respond({}, 429, headers);
  expect((await together).map(isRefused)).toEqual(Array(6).fill(true));
  transport.respond = () => ({ body: {} });
  const next = send();
  await clock.advance(6 * SECOND);
  expect(isRefused(await next)).toBe(false);
  expect(transport.sent).toHaveLength(7);
});
