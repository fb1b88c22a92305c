import { expect, test } from 'vitest';
import { startStack } from '../scenarios/stack.js';
import { fuzzEndpoint, HANG_PIECES } from './run.js';

/** Guards that no malformed request makes the endpoint fail, hang or leak. */

test('200 requests that are nearly what clients send are all answered at once, none with an internal error or a secret', async () => {
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 } });
  const { statuses, findings, slowestPieces } = await fuzzEndpoint(stack.url, stack.sandbox);
  const { data } = await stack.send('{ __typename }');
  await stack.close();
  expect(findings).toEqual([]);
  expect(slowestPieces, 'none hangs').toBeLessThan(HANG_PIECES);
  expect(data).toEqual({ __typename: 'Query' });
  // Some requests get beyond the refusals.
  expect(statuses.get(200)).toBeGreaterThan(20);
  expect(statuses.get(400)).toBeGreaterThan(20);
});
