import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTraceparent } from '../../runtime/http/request-headers.js';
import { type Stack, startStack } from '../scenarios/stack.js';

/** Guards what logs and traces call a request. */

describe('An operation that is sent without operationName', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false });
  });
  afterAll(() => stack.close());

  it.each([
    ['query Towns { departements { nom } }', 'Towns'],
    ['# of a page\nquery Towns { departements { nom } }', 'Towns'],
    ['{ departements { nom } }', undefined],
  ])('has in the log the name that it begins with, executed or not: %s', async (query, name) => {
    const from = stack.log.lines.length;
    for (const _time of [1, 2, 3]) await stack.send(query);
    const answered = stack.log.lines.slice(from).filter(({ message }) => message === 'request answered');
    expect(answered.map(({ fields }) => (fields as { operation?: string }).operation)).toEqual([name, name, name]);
  });
});

const REST = '-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

it.each([
  [`00${REST}`, `00${REST}`],
  [`01${REST}`, `00${REST}`],
  [`cc${REST}-what-the-future-adds`, `00${REST}`],
  [`00${REST}-more`, undefined],
  [`cc${REST}.more`, undefined],
  [`ff${REST}`, undefined],
  [`01${REST.replace('b7ad6b7169203331', '0'.repeat(16))}`, undefined],
])('The trace context %s is read by its first parts', (traceparent, read) => {
  expect(readTraceparent({ traceparent })).toBe(read);
});
