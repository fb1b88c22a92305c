/** Guards what a subgraph's operation waits for before its resolvers run. */
import { expect, test } from 'vitest';
import { createSubgraphExecution } from '../../runtime/subgraph-execution.js';
import { createTestSubgraph } from '../gateway/support/test-graph.js';
import { createOperation } from '../rest/support/operation.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

test('An operation waits while its subgraph loads what resolvers would load at once', async () => {
  const begun: string[] = [];
  const subgraph = createTestSubgraph('waste-identity', {
    Query: {
      viewer: () => {
        begun.push('viewer');
        return { name: 'Ada' };
      },
    },
  });
  let end = () => {};
  let loading: Promise<void> | null = new Promise<void>((resolve) => {
    end = resolve;
  });
  const execute = createSubgraphExecution({ ...subgraph, loading: () => loading }, createMemoryLog());
  const response = execute({ query: '{ viewer { name } }' }, createOperation());
  expect(begun).toEqual([]);
  begun.push('loaded');
  loading = null;
  end();
  expect(await response).toMatchObject({ data: { viewer: { name: 'Ada' } } });
  expect(begun).toEqual(['loaded', 'viewer']);
});
