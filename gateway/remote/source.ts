import type { GraphQLFormattedError } from 'graphql';
import type { Awaitable } from '../../kernel/awaitable.js';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { createErrorList, createOmissions, INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { failEntities, failRequest } from './failed-fetch.js';

/** Executes operations on one subgraph: in this process without HTTP or a second parse, or in another one. */
export interface SubgraphExecutor {
  /** Whose credential an operation carries. */
  readonly service: ServiceName;
  /** Throws a CodedError that says why it failed, or an internal error. */
  execute(
    request: SubgraphRequest,
    operation: OperationContext,
    gatewayRequest: GatewayRequest,
  ): Awaitable<SubgraphResponse>;
}

/**
 * A subgraph as query plans see it, in whichever process it runs. The library sends one representation for each place,
 * and passes on whatever error it gets; here equal ones are sent once, and a failure becomes one coded error for each
 * selected field, with its path.
 */
export interface Source {
  /** Executes one fetch of a plan. Never rejects. */
  execute(request: SubgraphRequest, gatewayRequest: GatewayRequest, planNode: string): Promise<SubgraphResponse>;
}

/** Creates the source of the subgraph of this name. */
export function createSource(name: string, executor: SubgraphExecutor, supergraph: SupergraphMap, log: Log): Source {
  async function executeSafely(...[request, gatewayRequest, planNode]: Parameters<Source['execute']>) {
    try {
      const response = await fetchInTime(request, gatewayRequest, planNode);
      const { data, errors } = response;
      const requestError = data === undefined || data === null ? errors?.find(isRequestError) : undefined;
      if (requestError !== undefined) return failed(gatewayRequest, request, requestError);
      return failEntities(request, response, supergraph);
    } catch (error) {
      return failed(gatewayRequest, request, toReportedError(error, name, gatewayRequest.id, log));
    }
  }

  /** In a span of the request's trace, if it has one. */
  async function fetchInTime(...[request, gatewayRequest, planNode]: Parameters<Source['execute']>) {
    gatewayRequest.signal.throwIfAborted();
    const attributes = { 'passerelle.subgraph': name, 'passerelle.plan_node': planNode };
    const span = gatewayRequest.span?.child(`fetch ${name}`, attributes);
    try {
      const operation = gatewayRequest.operationOf(executor.service, planNode, span);
      const executing = Promise.resolve(executor.execute(request, operation, gatewayRequest));
      const response = await settleInTime(executing, gatewayRequest);
      span?.end({ 'passerelle.errors': response.errors?.length ?? 0 });
      return response;
    } catch (error) {
      span?.end({}, 'failed');
      throw error;
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
      const deduplicated = Array.isArray(representations) ? await deduplicateRepresentations(representations) : null;
      if (deduplicated === null) return executeSafely(request, gatewayRequest, planNode);
      const variables = { ...request.variables, representations: deduplicated.distinct };
      return deduplicated.expand(await executeSafely({ ...request, variables }, gatewayRequest, planNode));
    },
  };
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

/** Representations without duplicates. */
interface Deduplicated {
  readonly distinct: readonly unknown[];
  /** Expands the response for the distinct representations to the original list, errors included. */
  expand(response: SubgraphResponse): SubgraphResponse;
}

/**
 * Removes duplicates from a list of representations: twenty missions of one commune are one entity. Whole
 * representations are compared, not only keys, because joins read the other fields too. Null if all differ.
 */
export async function deduplicateRepresentations(representations: readonly unknown[]): Promise<Deduplicated | null> {
  const places = new Map<string, number[]>();
  const distinct: unknown[] = [];
  await forEachInTurns(representations.entries(), ([place, representation]) => {
    const text = JSON.stringify(representation);
    const known = places.get(text);
    known?.push(place);
    if (known !== undefined) return;
    places.set(text, [place]);
    distinct.push(representation);
  });
  if (distinct.length === representations.length) return null;
  return { distinct, expand: (response) => expand(response, [...places.values()], representations.length) };
}

/**
 * Puts each distinct entity, and its errors, at all of its places. Duplicates share one object: the library merges into
 * it, but always the same values, since they depend on the entity alone.
 */
function expand(
  { data, errors, omitted }: SubgraphResponse,
  placesOf: readonly (readonly number[])[],
  length: number,
): SubgraphResponse {
  const distinct = data?.['_entities'];
  const entities: unknown[] = new Array(length).fill(null);
  if (Array.isArray(distinct))
    for (const [at, places] of placesOf.entries()) for (const place of places) entities[place] = distinct[at] ?? null;
  const expanded = Array.isArray(distinct) ? { ...data, _entities: entities } : data;
  if (errors === undefined) return { data: expanded };
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(omitted);
  for (const error of errors) {
    const [root, index, ...below] = error.path ?? [];
    const places = root === '_entities' && typeof index === 'number' ? (placesOf[index] ?? []) : null;
    if (places === null) list.add(error.path, () => error);
    else for (const place of places) list.add(error.path, () => ({ ...error, path: [root ?? '', place, ...below] }));
  }
  return { data: expanded, errors: list.errors, omitted: omissions.read() };
}
