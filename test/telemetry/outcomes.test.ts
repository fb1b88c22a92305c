import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf } from '../../gateway/endpoint/report.js';
import { ERRORS } from '../../kernel/errors.js';
import type { Stack } from '../scenarios/stack.js';
import { type ScrapedStack, startScrapedStack } from './support/scraped-stack.js';

/** Guards that an outage counts as failed, which wakes the operator, and that a client's mistake does not. */

const errorOf = (code: string, path?: readonly string[]) => ({
  message: code,
  extensions: { code },
  ...(path !== undefined && { path }),
});
const at = (code: string) => errorOf(code, ['missions']);

describe('An operation', () => {
  test('that was answered is ok, or partial where something is missing', () => {
    expect(outcomeOf({ data: { missions: null } })).toBe('ok');
    const errors = [at('UPSTREAM_TIMEOUT')];
    expect(outcomeOf({ data: { missions: null, communes: [] }, errors })).toBe('partial');
    expect(outcomeOf({ data: { missions: { nodes: null } }, errors })).toBe('partial');
    // The null commune has no error: it is known not to exist.
    expect(outcomeOf({ data: { missions: null, commune: null }, errors })).toBe('partial');
  });

  test('of which nothing was answered failed or was refused, as its errors say', () => {
    const outcome = (...codes: string[]) => outcomeOf({ data: { missions: null }, errors: codes.map(at) });
    expect(outcome('UPSTREAM_UNAVAILABLE')).toBe('failed');
    expect(outcome('BAD_USER_INPUT')).toBe('refused');
    expect(outcome('BAD_USER_INPUT', 'UPSTREAM_UNAVAILABLE')).toBe('failed');
    expect(outcomeOf({ data: { __typename: 'Query', missions: null }, errors: [at('INTERNAL')] })).toBe('failed');
    expect(outcomeOf({ data: null, errors: [errorOf('INTERNAL')] })).toBe('failed');
    expect(outcomeOf({ data: { missions: null }, errors: [errorOf('DEADLINE_EXCEEDED')] })).toBe('failed');
    expect(outcomeOf({ errors: [errorOf('GRAPHQL_VALIDATION_FAILED')] })).toBe('refused');
    expect(outcomeOf({ errors: [errorOf('PERSISTED_QUERY_NOT_FOUND')] })).toBe('refused');
    expect(outcome('OF_A_LIBRARY')).toBe('failed');
  });

  test('fails with every code that a server answers for, and with a spent quota', () => {
    const fails = (code: string) => outcomeOf({ errors: [errorOf(code)] }) === 'failed';
    const ofServers = Object.entries(ERRORS).filter(([, { httpStatus }]) => httpStatus >= 500);
    const expected = [...ofServers.map(([code]) => code), 'RATE_LIMITED'];
    expect(Object.keys(ERRORS).filter(fails).sort()).toEqual(expected.sort());
  });
});

describe('What is counted', () => {
  let stack: Stack;
  let scrape: ScrapedStack['scrape'];
  beforeAll(async () => {
    ({ stack, scrape } = await startScrapedStack());
  });
  afterAll(() => stack.close());

  /** The outcomes of an operation, from the metrics. */
  async function outcomes(name: string): Promise<Record<string, number>> {
    const text = await scrape();
    const series = /^passerelle_operation_duration_seconds_count\{operation="(\w+)",outcome="(\w+)"\} (\d+)$/gm;
    const counts = [...text.matchAll(series)].filter(([, operation]) => operation === name);
    return Object.fromEntries(counts.map(([, , outcome = '', count]) => [outcome, Number(count)]));
  }

  async function post(operationName: string, query: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ operationName, query });
    await (await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body })).text();
  }

  test('of an operation is the same from the cache as from its plan', async () => {
    for (let time = 0; time < 4; time += 1) await post('Known', 'query Known { missions(first: 3) { nodes { id } } }');
    expect(await outcomes('Known')).toEqual({ ok: 4 });
    expect(await scrape()).toMatch(/requests_answered_total\{way="whole response",reason=""\} [1-9]/);
  });

  test('of a mistake of a client is a refusal', async () => {
    await post('Mistaken', 'query Mistaken { nothing }');
    await post('Mistaken', 'query Mistaken { missions(first: 0) { nodes { id ');
    await post('Mistaken', 'query Mistaken { commune(code: "nowhere") { nom } }');
    expect(await outcomes('Mistaken')).toEqual({ refused: 3 });
  });

  test('of a service that is down is a failure, in spite of the nulls in its data', async () => {
    stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
    await post('Down', 'query Down { missions(first: 7) { nodes { id } } }');
    expect(await outcomes('Down')).toEqual({ failed: 1 });
    await post('Half', 'query Half { missions(first: 8) { nodes { id } } sources { name } }');
    expect(await outcomes('Half')).toEqual({ partial: 1 });
  });

  test('of a name has a series of its own among the first two hundred, and is counted as another one after them', async () => {
    const INVENTED = 210;
    for (let name = 0; name < INVENTED; name += 1)
      await post(`Invented${name}`, `query Invented${name} { __typename }`);
    expect(await outcomes('Invented0')).toEqual({ ok: 1 });
    const series = /operation_duration_seconds_count\{operation="(Invented\d+|other)",outcome="ok"\} (\d+)/g;
    const found = [...(await scrape()).matchAll(series)];
    expect(found.length).toBeLessThanOrEqual(201);
    expect(found.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(INVENTED);
  });
});
