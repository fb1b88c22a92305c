import { inTurn } from '../../../runtime/event-loop/turns.js';
import type { GraphqlParameters } from '../../http/parameters.js';
import type { LargeOperations } from '../../limits/large-operations.js';
import type { ResolvedOperation } from '../../request/context.js';
import type { CallerCredentials } from '../../request/credentials.js';
import type { GatewayRequest } from '../../request/request.js';
import { whoIs } from './direct-run.js';
import {
  DirectRequest,
  type DirectRuns,
  type DirectRunsOptions,
  type Prepared,
  type WhyGeneral,
} from './direct-runs.js';
import { FetchRun } from './fetch-run.js';
import type { DirectGraph } from './home.js';
import type { CachedResponse } from './prepared-operations.js';

/** A request some of whose data was missing or expired. */
export interface RequestAhead {
  readonly parameters: GraphqlParameters;
  readonly credentials: CallerCredentials;
  readonly gatewayRequest: GatewayRequest;
  /** Refuses the operation by throwing. */
  resolved(operation: ResolvedOperation): void | Promise<void>;
}

/** A response without errors, whose hits were recorded as its calls were made. */
export type FetchedResponse = Pick<CachedResponse, 'body' | 'encoded'>;

/** What making calls ahead works on. */
export interface FetchAheadOptions extends Omit<DirectRunsOptions, 'maxResponseBytes' | 'watchCache'> {
  readonly runs: DirectRuns;
  readonly large: LargeOperations;
}

/** For how long an operation is executed at once after making its calls ahead did not help. */
const EXECUTED_MS = 60_000;

/** Of more items, writing texts that are not cached yet often takes longer than a run may. */
const MAX_ITEMS = 250;

/**
 * Makes the calls that a request needs ahead of its execution, which is then seldom necessary: all of it is cached.
 * Returns the response; or null if the request has to be executed after all, which then takes the values of its calls.
 */
export function createFetchAhead({ graph, schema, runs, large }: FetchAheadOptions) {
  function mayHelp(prepared: Prepared | WhyGeneral): prepared is Prepared {
    if (typeof prepared === 'string' || isLoading(graph)) return false;
    const { cost, executedUntilMs } = prepared.known;
    return cost.items <= MAX_ITEMS && Date.now() >= executedUntilMs;
  }

  /** Sets the calls of an operation aside, and its place among the large ones of its caller. */
  async function isAdmitted({ operation, known }: Prepared, request: RequestAhead): Promise<boolean> {
    const { gatewayRequest, parameters, resolved } = request;
    const { document, definition } = operation;
    const { query: text = '', variables = {} } = parameters;
    try {
      await resolved({ schema, text, document, operation: definition, variables });
      await large.admit(gatewayRequest, known.cost.bytes);
      return true;
    } catch {
      large.release(gatewayRequest);
      // Its execution is refused in the same way, and reports it.
      return false;
    }
  }

  function respond(
    prepared: Prepared,
    { gatewayRequest, credentials }: RequestAhead,
  ): ReturnType<DirectRuns['respond']> {
    const caller = { id: gatewayRequest.id, credentials, startedMs: performance.now() };
    return runs.respond(prepared, caller, { who: whoIs(credentials), nowMs: Date.now() });
  }

  async function fetch(request: RequestAhead): Promise<FetchedResponse | null> {
    const { parameters, gatewayRequest } = request;
    const prepared = runs.prepare(new DirectRequest(parameters), Date.now());
    if (!mayHelp(prepared)) return null;
    const { program, known } = prepared;
    if (program.fetch === null || typeof known.args === 'string') return null;
    if (!(await isAdmitted(prepared, request))) return null;
    const isWhole = await FetchRun.run(program.fetch, known.args, gatewayRequest);
    // A stale value is not fresh in the cache either.
    if (!isWhole || gatewayRequest.recorder.stale !== null) return null;
    // One call may be what many requests waited for, and writing each response takes up to a whole run.
    const response = await inTurn(gatewayRequest, () => respond(prepared, request));
    if (typeof response !== 'string' && isRecorded(response, gatewayRequest)) return response;
    runs.executeUntil(prepared, Date.now() + EXECUTED_MS);
    return null;
  }

  return async (request: RequestAhead): Promise<FetchedResponse | null> => {
    if (request.gatewayRequest.ahead === null) return null;
    let isExecuted = false;
    try {
      const response = await fetch(request);
      isExecuted = response === null;
      return response;
    } finally {
      // An execution goes on in the place of its calls, and gives it up at its end.
      if (!isExecuted) large.release(request.gatewayRequest);
    }
  };
}

/**
 * Whether every call behind a response was recorded. An object that is loaded when one of its fields is read, such as a
 * commune found by name, has no resolver that a run ahead could call.
 */
function isRecorded({ parts }: CachedResponse, { recorder }: GatewayRequest): boolean {
  return parts.filter(({ isCall }) => isCall).length <= recorder.needed;
}

/** Whether data that resolvers need are still being loaded. */
function isLoading({ subgraphs }: DirectGraph): boolean {
  return [...subgraphs.values()].some((subgraph) => (subgraph.loading?.() ?? null) !== null);
}
