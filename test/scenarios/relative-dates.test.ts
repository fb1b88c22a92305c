import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

describe.each(USUAL_SHAPE)('A date relative to today, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterAll(() => stack.close());

  test('is the day that it is now, in a variable as in the query', async () => {
    const day = new Date(Date.now() - 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const requests = [
      ['query ($since: DateTimeRange) { missions(createdAt: $since) { totalCount } }', { since: { after: '-P30D' } }],
      ['query ($since: DateTime) { missions(createdAt: { after: $since }) { totalCount } }', { since: '-P30D' }],
      ['{ missions(createdAt: { after: "-P30D" }) { totalCount } }', {}],
    ] as const;
    for (const [query, variables] of requests) {
      stack.forgetCalls();
      const { errors } = await stack.send(query, { variables });
      expect(errors).toEqual([]);
      for (const line of stack.calls()) expect(decodeURIComponent(line)).toContain(`createdAt=gt:${day}`);
    }
    const { errors } = await stack.send('{ exportedOffers(where: { created: { after: "-P1Y" } }) { totalCount } }');
    expect(errors).toEqual([]);
    const { errors: refused } = await stack.send('{ missions(createdAt: { after: "-P1" }) { totalCount } }');
    expect(refused.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  });
});
