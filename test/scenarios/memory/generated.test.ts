import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/index.js';
import { type AuthStack, startAuthStack } from '../../auth/support/auth-stack.js';
import { runs } from '../../runs.js';
import { generatedOperation, type Operation } from '../../truth/support/generated-operation.js';
import { rootsOf } from '../../truth/support/graph-stack.js';
import { type Answered, lastAnswered } from '../answered.js';
import { type GraphqlError, IS_APART, type StackResponse, send } from '../stack.js';

const RUNS = runs(10);
/** Fields whose responses are never cached, or are true for this moment only. */
const SKIPPED = new Set(['sources', 'viewer']);

/** Error codes in which a hit and a miss may legitimately differ. */
const TROUBLE = new Set(['RATE_LIMITED', 'UPSTREAM_TIMEOUT', 'DEADLINE_EXCEEDED', 'BAD_USER_INPUT']);

describe.skipIf(IS_APART)('Generated queries of the whole graph', () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  test('are answered from memory as they are executed: data, calls, freshness', async () => {
    const seen = await compare({ seed: 1_000, count: RUNS, prepare: dateAll });
    expect(seen.fromMemory).toBeGreaterThan(1.7 * RUNS);
  });

  test('fail in the same places where values have wrong types', async () => {
    const seen = await compare({ seed: 2_000, count: RUNS, prepare: spoilAll });
    expect(seen.errors).toBeGreaterThan(0.1 * RUNS);
  });
});

function dateAll({ volunteering, workStudy }: Sandbox): void {
  for (const service of [volunteering, workStudy]) service.fault({ kind: 'wrong-type', change: dated });
}

function spoilAll({ volunteering, workStudy }: Sandbox): void {
  for (const service of [volunteering, workStudy]) {
    service.fault({ kind: 'wrong-type', change: (body) => spoil(body, { values: 0 }) });
  }
}

/** Adds the time of the fetch to titles and names. */
function dated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dated);
  if (typeof value !== 'object' || value === null) return value;
  const date = (key: string, inner: unknown) =>
    (key === 'title' || key === 'nom') && typeof inner === 'string' ? `${inner} ${Date.now()}` : dated(inner);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, date(key, inner)]));
}

/** Every eleventh value of a body becomes an object. */
function spoil(value: unknown, count: { values: number }): unknown {
  if (Array.isArray(value)) return value.map((item) => spoil(item, count));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spoil(inner, count)]));
  }
  count.values += 1;
  return count.values % 11 === 0 ? { wrong: true } : value;
}

interface Comparison {
  readonly seed: number;
  readonly count: number;
  readonly prepare: (sandbox: Sandbox) => void;
}

/** An operation, and the headers of its caller. */
interface Sent extends Operation {
  readonly headers: Record<string, string>;
}

interface Seen {
  fromMemory: number;
  errors: number;
}

/** Sends each operation now, when about half of its cache entries have expired, and after a write with its key. */
async function compare({ seed, count, prepare }: Comparison): Promise<Seen> {
  // A list of joins is priced at the most that it may hold, which here is seldom more than a few calls.
  const env = { MAX_CALLS_PER_REQUEST: '1000000' };
  const stack = await startAuthStack({ shape: 'in process', sandbox: { scale: 0.2 }, env });
  const roots = rootsOf(stack).filter(({ name }) => !SKIPPED.has(name));
  const callers = await callersOf(stack);
  const seen = { fromMemory: 0, errors: 0 };
  for (let next = seed, compared = 0; compared < count; next += 1) {
    const headers = callers[next % callers.length] ?? {};
    const operation = generatedOperation(next, roots);
    if (operation.operationName !== undefined) continue;
    openWindows(stack);
    prepare(stack.sandbox);
    const sent = { ...operation, headers };
    let isCompared = true;
    for (const _time of ['now', 'later']) {
      isCompared &&= await compareOne(stack, sent, seen);
      vi.setSystemTime(Date.now() + 60_000);
    }
    if (isCompared && 'x-work-study-key' in headers) {
      await send(stack.url, WRITE, { headers });
      await compareOne(stack, sent, seen);
    }
    if (isCompared) compared += 1;
  }
  await stack.close();
  return seen;
}

const WRITE = 'mutation { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }';

/** Headers of four callers: one without any, one who is logged in, and two with their own keys, of whom one writes. */
async function callersOf(stack: AuthStack): Promise<Record<string, string>[]> {
  const { workStudy, volunteering } = stack.sandbox.keys;
  const { browser, user } = stack.person();
  await stack.logIn(browser, user);
  return [
    {},
    { cookie: `passerelle=${stack.sessionCookie(browser)}` },
    { 'x-volunteering-key': volunteering.alice, 'x-work-study-key': workStudy.alice },
    { 'x-volunteering-key': volunteering.bob },
  ];
}

/**
 * All that is fetched carries its time, so a text that outlives its cache entry shows. Returns false for what may differ
 * between two requests: responses that stay stale, and failures of a moment, which would be requested again.
 */
async function compareOne(stack: AuthStack, sent: Sent, seen: Seen): Promise<boolean> {
  const { query, variables, headers } = sent;
  const first = await sendUntilFresh(stack, sent);
  if (first.status !== 200 || first.errors.some(({ extensions }) => TROUBLE.has(extensions.code))) return false;
  if (first.headers.get('cache-status') !== null) return false;
  if (first.trace?.calls.every(({ error }) => error === undefined) !== true) return false;
  stack.forgetCalls();
  // Executed from what is cached, then remembered.
  const plain = await sendPlain(stack, sent);
  const repeated = await sendPlain(stack, sent);
  expect(stack.calls(), query).toEqual([]);
  const reference = await send(stack.url, query, { variables: { ...variables, ...REFERENCE }, headers });
  // Nothing has changed the cached objects.
  expect(JSON.stringify(first.data), query).toBe(JSON.stringify(reference.data));
  for (const response of [plain, repeated]) {
    expect(JSON.stringify(response.data), query).toBe(JSON.stringify(reference.data));
    expect(places(response.errors), query).toEqual(places(reference.errors));
    expect(response.headers.get('cache-status'), query).toBe(reference.headers.get('cache-status'));
    expect(response.savedByCache, query).toBe(reference.trace?.totals.savedByCache);
  }
  seen.errors += plain.errors.length === 0 ? 0 : 1;
  seen.fromMemory += repeated.way === 'schema' ? 0 : 1;
  return true;
}

/** A variable that no operation has: what is executed for comparison is not what is remembered. */
const REFERENCE = { reference: true };

/** More requests than any refresh takes; a caller waits a second or two for one. */
const MOST_REPEATS = 100;

/** A response without refreshes in the background: their calls would be made during another query. */
async function sendUntilFresh({ url }: AuthStack, { query, variables, headers }: Sent): Promise<StackResponse> {
  for (let time = 1; ; time++) {
    const response = await send(url, query, { variables: { ...variables, ...REFERENCE }, headers });
    const isFresh = response.trace?.calls.every(({ stale }) => !REFRESHING.has(stale?.reason)) ?? true;
    if (isFresh || time === MOST_REPEATS) return response;
  }
}

const REFRESHING: ReadonlySet<string | undefined> = new Set(['REVALIDATING', 'SLOW']);

async function sendPlain(stack: AuthStack, { query, variables, headers }: Sent): Promise<StackResponse & Answered> {
  const response = await send(stack.url, query, { variables, headers: { ...headers, 'x-passerelle-trace': '0' } });
  return { ...response, ...lastAnswered(stack) };
}

function places(errors: readonly GraphqlError[]): string[] {
  return errors.map(({ path, message, extensions: { code } }) => JSON.stringify([path, message, code])).sort();
}

function openWindows({ sandbox }: AuthStack): void {
  for (const service of sandbox.running) {
    service.reset();
    // An unchanged response would come without a body (304), and the fault could change nothing.
    service.fault({ kind: 'headers', headers: { etag: null } });
  }
  sandbox.volunteering.callsPerMinute = 1_000_000;
}
