import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/index.js';
import type { LogLine } from '../memory-log.js';
import { plainMissions } from '../samples.js';
import { type GraphqlError, type Stack, type StackResponse, send, startStack } from '../stack.js';
import { generatedQuery, type Root } from './generated-query.js';

/** `DIRECT_RUNS=5000 npx vitest run test/scenarios/direct` for a longer look. */
const RUNS = Number(process.env['DIRECT_RUNS'] ?? 60);
const schema = buildSchema(readFileSync(new URL('../../../schema/api.graphql', import.meta.url), 'utf8'));

/** Answers that a hit differs from a miss in, and nothing else. */
const TROUBLE = new Set(['RATE_LIMITED', 'UPSTREAM_TIMEOUT', 'DEADLINE_EXCEEDED', 'BAD_USER_INPUT']);

describe('Generated queries of the whole graph', () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  test('are answered from the cache as the library answers them: data, calls, freshness', async () => {
    const seen = await compare(20_261_122, ({ volunteering, workStudy }) => {
      for (const service of [volunteering, workStudy]) service.fault({ kind: 'wrong-type', change: dated });
    });
    expect(seen.direct).toBeGreaterThan(1.8 * RUNS);
  });

  test('fail in the same places where values have wrong types', async () => {
    const seen = await compare(20_261_123, ({ volunteering, workStudy }) => {
      for (const service of [volunteering, workStudy]) {
        service.fault({ kind: 'wrong-type', change: (body) => spoil(body, { values: 0 }) });
      }
    });
    expect(seen.errors).toBeGreaterThan(0.1 * RUNS);
    expect(seen.direct).toBeGreaterThan(0.1 * RUNS);
  });
});

/** Titles and names say when they were fetched. */
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

/** Each query is asked now, and again when about half of what it was made of has expired. */
async function compare(seed: number, prepare: (sandbox: Sandbox) => void) {
  // Lists of joins are priced by what they may hold, which here is seldom more than a few calls.
  const env = { MAX_CALLS_PER_REQUEST: '1000000' };
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.2 }, env });
  const roots = rootsOf(stack);
  const seen = { direct: 0, errors: 0 };
  const property = fc.asyncProperty(fc.gen(), async (random) => {
    openWindows(stack);
    prepare(stack.sandbox);
    const query = generatedQuery(schema, roots, random);
    for (const _time of ['now', 'later']) {
      await compareOne(stack, query, seen);
      vi.setSystemTime(Date.now() + 60_000);
    }
  });
  await fc.assert(property, { seed, numRuns: RUNS, endOnFailure: true });
  await stack.close();
  return seen;
}

/** What is fetched is dated: a text that outlived it would be seen. */
async function compareOne(stack: Stack, query: string, seen: { direct: number; errors: number }): Promise<void> {
  const first = await stack.send(query);
  expect(first.status, query).toBe(200);
  fc.pre(!first.errors.some(({ extensions }: GraphqlError) => TROUBLE.has(extensions.code)));
  // Stale reference data is being renewed behind the caller's back; and a call that failed is made again.
  fc.pre(first.headers.get('cache-status') === null);
  fc.pre(first.trace?.calls.every(({ error }) => error === undefined) === true);
  stack.forgetCalls();
  // Put together, answered once more, and put together for other variables from the texts that are kept by now.
  const plain = await sendPlain(stack, query, {});
  const repeated = await sendPlain(stack, query, {});
  const others = await sendPlain(stack, query, { yes: true });
  expect(stack.calls(), query).toEqual([]);
  const reference = await stack.send(query);
  // Nobody has changed what is kept.
  expect(JSON.stringify(first.data), query).toBe(JSON.stringify(reference.data));
  for (const response of [plain, repeated, others]) {
    expect(JSON.stringify(response.data), query).toBe(JSON.stringify(reference.data));
    expect(places(response.errors), query).toEqual(places(reference.errors));
    expect(response.headers.get('cache-status'), query).toBe(reference.headers.get('cache-status'));
    expect(response.line['savedByCache'], query).toBe(reference.trace?.totals.savedByCache);
  }
  seen.errors += plain.errors.length === 0 ? 0 : 1;
  seen.direct += others.line['way'] === 'direct' ? 1 : 0;
}

async function sendPlain(
  stack: Stack,
  query: string,
  variables: Record<string, unknown>,
): Promise<StackResponse & { readonly line: LogLine['fields'] & Record<string, unknown> }> {
  const response = await send(stack.url, query, { variables, headers: { 'x-passerelle-trace': '0' } });
  return { ...response, line: lastLine(stack) };
}

function lastLine({ log }: Stack): Record<string, unknown> {
  const line = log.lines.findLast(({ message }) => message === 'request answered');
  return { ...line?.fields };
}

function places(errors: readonly GraphqlError[]): string[] {
  return errors.map(({ path, message, extensions: { code } }) => JSON.stringify([path, message, code])).sort();
}

function openWindows({ sandbox }: Stack): void {
  for (const service of sandbox.running) {
    service.reset();
    // A response that did not change would be sent without its body, in which nothing can be changed.
    service.fault({ kind: 'headers', headers: { etag: null } });
  }
  sandbox.volunteering.callsPerMinute = 1_000_000;
}

function rootsOf({ sandbox: { world } }: Stack): readonly Root[] {
  const missions = plainMissions(world);
  const some = (count: number) => missions.slice(0, count);
  return [
    ...['(first: 3)', '(first: 7)', '(first: 0)'].map((text) => ({ name: 'missions', arguments: text })),
    { name: 'missionSearch', arguments: '(first: 4)' },
    { name: 'missionSearch', arguments: '(first: 4, lat: 48.85, lon: 2.35, distance: 200)' },
    ...some(5).map(({ id }) => ({ name: 'mission', arguments: `(id: "${id}")` })),
    { name: 'mission', arguments: '(id: "unknown-mission")' },
    { name: 'organizations', arguments: '(q: "les", first: 3)' },
    ...some(5).map(({ rna }) => ({ name: 'organization', arguments: `(rna: "${rna}")` })),
    ...some(5).map(({ insee }) => ({ name: 'commune', arguments: `(insee: "${insee}")` })),
    { name: 'communesByName', arguments: '(name: "saint", first: 3)' },
    { name: 'communes', arguments: '(code: "29200")' },
    { name: 'departements', arguments: '' },
    { name: 'certifications', arguments: '(rncp: "RNCP37537", first: 3)' },
    { name: 'formations', arguments: '(rncp: "RNCP37537", first: 2)' },
    { name: 'jobSearch', arguments: '(departements: ["29"])' },
    { name: 'organismes', arguments: '(first: 2)' },
  ];
}
