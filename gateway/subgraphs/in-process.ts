import { createSubgraphExecution, type SubgraphAnswer } from '../../runtime/subgraph-host/subgraph-execution.js';
import type { Log } from '../../schema/log.js';
import type { Subgraph } from '../../schema/operation.js';
import { settleInTime } from './settle-in-time.js';
import type { AskSubgraph } from './source.js';

/** Asks a subgraph of this process: no HTTP, no second parse, and no promise where no resolver waits. */
export function askInProcess(subgraph: Subgraph, log: Log): AskSubgraph {
  const execute = createSubgraphExecution(subgraph, log);
  return (request, caller, planNode) => {
    const answer = execute(request, caller.operationOf(subgraph.name, planNode));
    return isSettled(answer) ? answer : settleInTime(answer, caller);
  };
}

function isSettled(answer: SubgraphAnswer | Promise<SubgraphAnswer>): answer is SubgraphAnswer {
  return !(answer instanceof Promise);
}
