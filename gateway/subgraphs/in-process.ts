import { createSubgraphExecution, type SubgraphResponse } from '../../runtime/subgraph-host/subgraph-execution.js';
import type { WatchCache } from '../../schema/caches.js';
import type { Log } from '../../schema/log.js';
import type { Subgraph } from '../../schema/operation.js';
import { asFetch } from './fetch-span.js';
import { settleInTime } from './settle-in-time.js';
import type { SubgraphExecutor } from './source.js';

/** Executes the plans of this build on a subgraph in this process: without HTTP, and at once if no resolver waits. */
export function createInProcessExecutor(subgraph: Subgraph, log: Log, watchCache: WatchCache): SubgraphExecutor {
  const execute = createSubgraphExecution(subgraph, log, watchCache, 'plan');
  return (request, caller, planNode, onRoot) =>
    asFetch(caller, { subgraph: subgraph.name, planNode }, (span) => {
      const operation = caller.operationOf(subgraph.name, planNode, span);
      const response = execute(request, onRoot === undefined ? operation : { ...operation, onRoot });
      return isSettled(response) ? response : settleInTime(response, caller);
    });
}

function isSettled(response: SubgraphResponse | Promise<SubgraphResponse>): response is SubgraphResponse {
  return !(response instanceof Promise);
}
