import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectCallsMade, SHAPES, type Stack, startStack } from './stack.js';

/** Searches a minute that work-study allows a key (work-study 4.1). */
const SEARCHES_A_MINUTE = 60;

interface Departement {
  readonly codeInsee: string;
  readonly jobSearch: { readonly truncated: boolean } | null;
}

describe.each(SHAPES)('More searches than a minute allows, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterAll(() => stack.close());

  const QUERY = '{ departements { codeInsee jobSearch { truncated jobs { offer { title } } } } }';

  test('are answered as far as the quota goes; the others are told when to come back, each at its path', async () => {
    const { status, data, errors, trace } = await stack.send(QUERY);
    expect(status).toBe(200);
    const departements = data.departements as Departement[];
    expect(departements).toHaveLength(stack.sandbox.world.departements.length);
    const refused = departements.flatMap(({ jobSearch }, index) => (jobSearch === null ? [index] : []));
    expect(departements.length - refused.length).toBe(SEARCHES_A_MINUTE);
    expect(errors.map(({ path }) => path)).toEqual(
      expect.arrayContaining(refused.map((index) => ['departements', index, 'jobSearch'])),
    );
    expect(errors).toHaveLength(refused.length);
    for (const { extensions } of errors) {
      expect(extensions).toMatchObject({ code: 'RATE_LIMITED', service: 'work-study' });
      expect(extensions.retryAfterSeconds).toBeGreaterThan(0);
      expect(extensions.retryAfterSeconds).toBeLessThanOrEqual(61);
    }
    const answered = stack.sandbox.workStudy.calls.filter(
      ({ url, status }) => url.includes('/search') && status === 200,
    );
    expect(answered).toHaveLength(SEARCHES_A_MINUTE);
    expect(
      stack.sandbox.workStudy.calls.filter(({ status }) => status === 429),
      'no call is made that the quota must refuse',
    ).toEqual([]);
    expectCallsMade(trace, stack.calls().length);
  });

  test('touch neither another key nor another route', async () => {
    const query = '{ jobSearch(departements: ["2A"]) { truncated } missionsLocales { nom } }';
    const headers = { 'x-work-study-key': stack.sandbox.keys.workStudy.alice };
    stack.forgetCalls();
    const { errors } = await stack.send(query, { headers });
    expect(errors).toEqual([]);
    expect(stack.calls()).toEqual([
      'work-study GET /api/geographie/v1/mission-locale operator',
      'work-study GET /api/job/v1/search?departements=2A alice',
    ]);
  });

  test('once again after the refusal: what was answered is kept and costs nothing', async () => {
    stack.forgetCalls();
    const { data } = await stack.send(QUERY);
    const answered = (data.departements as Departement[]).filter(({ jobSearch }) => jobSearch !== null);
    expect(answered.length).toBeGreaterThanOrEqual(SEARCHES_A_MINUTE);
    const repeated = stack.sandbox.workStudy.calls.filter(({ status }) => status === 200);
    expect(repeated).toEqual([]);
  });
});
