import type { FastifyRequest } from 'fastify';
import type { WatchCache } from '../../kernel/caches.js';
import type { Log, Tracing } from '../../kernel/log.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import { type Memory, MemoryRequest, type MemoryResponse, type WhyExecuted } from '../memory/memory.js';
import type { CallerCredentials, GatewayRequest } from '../request/request.js';
import type { Caller, Identify } from './caller.js';
import { createFastPath, type FastPath } from './fast-path.js';
import { handoverOf, type Tried } from './handover.js';
import { createKnownRequests } from './known-requests.js';
import { type RequestMetrics, reportRemembered } from './request-report.js';
import type { ResponseHeaders } from './response-headers.js';

/** What answering from the cache needs from the endpoint. */
export interface MemoryEndpointOptions {
  readonly memory: Memory;
  readonly identify: Identify;
  readonly callerLimits: CallerLimits;
  readonly crossOrigin: CrossOrigin;
  readonly headersOf: ResponseHeaders;
  readonly safelist: SafelistPolicy | null;
  readonly tracing: Tracing | null;
  readonly watchCache: WatchCache;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}

/** A request that was executed: its caller's keys, and what it needed. */
interface ExecutedRequest {
  readonly credentials: CallerCredentials;
  readonly gatewayRequest: GatewayRequest;
}

/** Answers from the cache where all of the data is there (execution). */
export interface MemoryEndpoint {
  /** Runs ahead of the router. */
  readonly fastPath: FastPath;
  /**
   * Returns the caller, and either the response or why the request has to be executed. Rows and prices come only from
   * an execution, never from a cached response.
   */
  attempt(request: FastifyRequest, parameters: GraphqlParameters, isExecuted: boolean): Promise<Tried>;
  /** Learns an operation that was executed without an error, so that it may be answered from memory next time. */
  learn(parameters: GraphqlParameters, response: GraphqlResponse, of: ExecutedRequest): void;
}

/** The only place where answering from memory is enabled. */
export function createMemoryEndpoint(options: MemoryEndpointOptions): MemoryEndpoint {
  const { memory, identify, metrics, safelist } = options;
  const requests = createKnownRequests(options.watchCache);

  /** The response, counted and logged; or why it must be executed; null if memory was not tried. */
  function respond(id: string, request: MemoryRequest, caller: Caller): MemoryResponse | WhyExecuted | null {
    // A trace has to show how the operation was executed.
    if (caller.traced) return null;
    const { credentials, traceparent } = caller;
    const startedMs = performance.now();
    const response = memory.answer(request, { id, credentials, startedMs });
    if (typeof response !== 'string')
      reportRemembered(options, request.parameters, {
        id,
        way: response.way,
        ms: performance.now() - startedMs,
        hits: response.hits,
        traceparent,
      });
    return response;
  }

  function remember(body: Buffer, request: MemoryRequest): void {
    // In this mode, every use of an operation that is not on the list has to be logged.
    if (safelist?.mode !== 'log') requests.remember(body, request);
  }

  function countAllowed(): void {
    if (safelist !== null) metrics?.safelisted('allowed');
  }

  return {
    fastPath: createFastPath({ ...options, find: requests.find, answer: respond, countAllowed }),
    async attempt({ raw, id, headers }, parameters, isExecuted) {
      const handover = handoverOf(raw);
      if (handover?.tried) return handover.tried;
      const caller = await identify(headers, id);
      const limits = await options.callerLimits.admit(raw, caller.credentials);
      const request = new MemoryRequest(parameters);
      const response = isExecuted ? null : respond(id, request, caller);
      if (handover?.body && typeof response === 'object' && response !== null) remember(handover.body, request);
      return { caller, response, limits };
    },
    learn(parameters, { status, data, errors, bytes }, { credentials, gatewayRequest: { recorder } }) {
      if (status !== 200 || !data || errors !== undefined) return;
      const { needed, services, isCacheable } = recorder;
      const freshUntilMs = recorder.freshUntilMs();
      memory.learn(parameters, { data, bytes, credentials, needed, services, isCacheable, freshUntilMs });
    },
  };
}
