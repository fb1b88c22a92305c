import type { GraphQLFormattedError } from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { type Awaitable, isPromise } from '../../kernel/ready.js';
import type { ServiceName } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { deduplicateRepresentations } from './deduplicate-representations.js';
import { failEntities, failRequest } from './failure.js';
import { asFetch } from './fetch-span.js';

/** Executes operations on one subgraph: in this process without HTTP or a second parse, or in another one. */
export interface SubgraphExecutor {
  /** Whose credential an operation carries. */
  readonly service: ServiceName;
  /** Synchronous if nothing has to wait. Throws a CodedError that says why it failed, or an internal error. */
  execute(
    request: SubgraphRequest,
    operation: OperationContext,
    gatewayRequest: GatewayRequest,
  ): Awaitable<SubgraphResponse>;
}

/** A subgraph as query plans see it, in whichever process it runs. */
export interface Source {
  /** Executes one fetch of a plan. Never rejects. */
  execute(request: SubgraphRequest, gatewayRequest: GatewayRequest, planNode: string): Promise<SubgraphResponse>;
}

/**
 * Creates a source that sends equal representations once and never throws: a failure becomes one coded error for each
 * selected field, with its path.
 */
export function createSource(name: string, executor: SubgraphExecutor, supergraph: SupergraphMap, log: Log): Source {
  async function executeSafely(...[request, gatewayRequest, planNode]: Parameters<Source['execute']>) {
    try {
      gatewayRequest.signal.throwIfAborted();
      const response = await asFetch(gatewayRequest, { subgraph: name, planNode }, (span) => {
        const operation = gatewayRequest.operationOf(executor.service, planNode, span);
        const result = executor.execute(request, operation, gatewayRequest);
        return isPromise(result) ? settleInTime(result, gatewayRequest) : result;
      });
      const requestError = isEmpty(response) ? response.errors?.find(isRequestError) : undefined;
      if (requestError !== undefined) return failed(gatewayRequest, request, requestError);
      return failEntities(request, response, supergraph);
    } catch (error) {
      return failed(gatewayRequest, request, toReportedError(error, name, gatewayRequest.id, log));
    }
  }

  /** Not cached even if it has no error: a source that is down is reported as a state, and may soon be up again. */
  function failed({ recorder }: GatewayRequest, request: SubgraphRequest, error: GraphQLFormattedError) {
    recorder.forbidCaching();
    return failRequest(request, error, supergraph);
  }

  return {
    async execute(request, gatewayRequest, planNode) {
      const representations = request.variables?.['representations'];
      const deduplicated = Array.isArray(representations)
        ? await deduplicateRepresentations(gatewayRequest, representations)
        : null;
      if (deduplicated === null) return executeSafely(request, gatewayRequest, planNode);
      const variables = { ...request.variables, representations: deduplicated.distinct };
      return deduplicated.expand(await executeSafely({ ...request, variables }, gatewayRequest, planNode));
    },
  };
}

function isEmpty({ data }: SubgraphResponse): boolean {
  return data === undefined || data === null;
}

/** Whether an error is of the operation itself, or of the whole list of its entities. */
export function isRequestError({ path }: GraphQLFormattedError): boolean {
  return path === undefined || (path.length === 1 && path[0] === '_entities');
}

function toReportedError(error: unknown, subgraph: string, requestId: string, log: Log): GraphQLFormattedError {
  if (error instanceof CodedError) {
    log.warn({ requestId, subgraph, code: error.code, err: error.cause }, 'subgraph request failed');
    return { message: error.message, extensions: { ...error.extensions } };
  }
  log.error({ requestId, subgraph, err: error }, 'subgraph request failed');
  return { message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } };
}
