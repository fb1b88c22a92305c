import { expect, test } from 'vitest';
import type { Transport } from '../../subgraphs/rest/ports/transport.js';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

/** A wire that nobody may use. */
const FORBIDDEN: Transport = {
  send: () => Promise.reject(new Error('A dry run used the transport.')),
  open: () => Promise.reject(new Error('A dry run used the transport.')),
  close: async () => {},
};

test.each([
  ['what could be cached', search(), 'MISS'],
  ['what never is', search({ cache: 'never', method: 'POST' }), 'BYPASS'],
] as const)('A dry run of %s calls nobody, and records the call that it would take', async (_what, request, cache) => {
  const { toolkit } = createHarness({}, { transport: FORBIDDEN });
  const operation = createOperation();
  await expect(toolkit.call(request, { ...operation, dryRun: true })).rejects.toMatchObject({ code: 'NOT_CACHED' });
  expect(operation.rows).toMatchObject([{ cache, path: '/v0/mission', priced: { scope: 'all routes' } }]);
  expect(toolkit.rows).toEqual([]);
  // The transport is what would have been used.
  await expect(toolkit.call(request, createOperation())).rejects.toMatchObject({ code: 'INTERNAL' });
});
