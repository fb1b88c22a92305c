import type { GraphQLFormattedError } from 'graphql';
import { INTERNAL_MESSAGE } from '../../runtime/errors/safe-errors.js';
import type { SubgraphAnswer, SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import { CodedError } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import type { GatewayRequest } from '../request/request.js';
import { deduplicateRepresentations } from './deduplicate-representations.js';
import { failEntities, failWhole } from './failure.js';

/** Queries one subgraph. A CodedError says why that failed; anything else thrown is an internal error. */
export type AskSubgraph = (
  request: SubgraphRequest,
  caller: GatewayRequest,
  planNode: string,
) => SubgraphAnswer | Promise<SubgraphAnswer>;

/** One subgraph as the plan's executor sees it, in whichever process it runs. */
export interface Source {
  answer(request: SubgraphRequest, caller: GatewayRequest, planNode: string): Promise<SubgraphAnswer>;
}

/**
 * What every process shape shares: equal representations are sent once, and nothing is ever thrown. A failure becomes
 * one coded error for each selected field, each with a path.
 */
export function createSource(name: string, ask: AskSubgraph, supergraph: SupergraphMap, log: Log): Source {
  async function askSafely(request: SubgraphRequest, caller: GatewayRequest, planNode: string) {
    try {
      caller.signal.throwIfAborted();
      const answer = await ask(request, caller, planNode);
      const whole = isEmpty(answer) ? answer.errors?.find(isOfWhole) : undefined;
      if (whole !== undefined) return failWhole(request, whole, supergraph);
      return failEntities(request, answer, supergraph);
    } catch (error) {
      return failWhole(request, explain(error, name, caller.id, log), supergraph);
    }
  }

  return {
    async answer(request, caller, planNode) {
      const representations = request.variables?.['representations'];
      const deduplicated = Array.isArray(representations) ? await deduplicateRepresentations(representations) : null;
      if (deduplicated === null) return askSafely(request, caller, planNode);
      const variables = { ...request.variables, representations: deduplicated.distinct };
      return deduplicated.spread(await askSafely({ ...request, variables }, caller, planNode));
    },
  };
}

function isEmpty({ data }: SubgraphAnswer): boolean {
  return data === undefined || data === null;
}

/** An error of the operation itself, or of the whole list of its entities. */
function isOfWhole({ path }: GraphQLFormattedError): boolean {
  return path === undefined || (path.length === 1 && path[0] === '_entities');
}

function explain(error: unknown, subgraph: string, requestId: string, log: Log): GraphQLFormattedError {
  if (error instanceof CodedError) {
    log.warn({ requestId, subgraph, code: error.code, err: error.cause }, 'a subgraph could not be asked');
    return { message: error.message, extensions: { ...error.extensions } };
  }
  log.error({ requestId, subgraph, err: error }, 'a subgraph could not be asked');
  return { message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } };
}
