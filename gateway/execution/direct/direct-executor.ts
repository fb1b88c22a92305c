import type { ServiceName } from '../../../schema/services.js';
import type { GraphqlParameters } from '../../http/parameters.js';
import type { LargeOperations } from '../../limits/large-operations.js';
import type { CallerCredentials } from '../../request/credentials.js';
import { countUses } from './cached-parts.js';
import { type DirectCaller, whoIs } from './direct-run.js';
import { createDirectRuns, type DirectRequest, type DirectRunsOptions, type WhyGeneral } from './direct-runs.js';
import type { EncodedBodies } from './encoded-bodies.js';
import { createFetchAhead, type FetchedResponse, type RequestAhead } from './fetch-ahead.js';
import { type CachedResponse, isCurrent } from './prepared-operations.js';
import type { ResponseBody } from './response-body.js';

/** A response without errors. */
export interface DirectResponse {
  /** The body as JSON. */
  readonly body: ResponseBody;
  /** The same body in its encodings. */
  readonly encoded: EncodedBodies;
  /** How many calls the cache saved: all that were needed. */
  readonly hits: number;
  /** Until when all of its parts are fresh, in milliseconds since 1970; null if none of them expires. */
  readonly freshUntilMs: number | null;
}

/** An operation that was answered in the general way, without an error. */
export interface ExecutedOperation {
  readonly data: object;
  /** Lower bound of its size as JSON. */
  readonly bytes: number;
  /** The keys of its caller. */
  readonly credentials: CallerCredentials;
  /** How many calls were needed, and of which services. */
  readonly needed: number;
  readonly services: ReadonlySet<ServiceName>;
  /** Whether it stays valid while its calls are fresh, or for a while if there are none. */
  readonly isCacheable: boolean;
  /** Until when all calls are fresh, in milliseconds since 1970; null if there are none, or nobody may cache them. */
  readonly freshUntilMs: number | null;
}

/** Answers operations from the cache (execution). */
export interface DirectExecutor {
  /** The response, without waiting; or why there is none. */
  execute(request: DirectRequest, caller: DirectCaller): DirectResponse | WhyGeneral;
  /**
   * The response, once the calls for what is missing or expired are made. Null if the request has to be executed, which
   * then takes the values of these calls. Their hits were recorded as they were made.
   */
  fetchAhead(request: RequestAhead): Promise<FetchedResponse | null>;
  learn(parameters: GraphqlParameters, executed: ExecutedOperation): void;
}

/** What a direct executor works on. */
export interface DirectExecutorOptions extends DirectRunsOptions {
  readonly large: LargeOperations;
}

/** Creates a direct executor over the subgraphs of this process. */
export function createDirectExecutor(options: DirectExecutorOptions): DirectExecutor {
  const runs = createDirectRuns(options);
  return {
    execute(request, caller) {
      const who = whoIs(caller.credentials);
      const nowMs = Date.now();
      const whole = findWhole(request, who, nowMs);
      if (whole !== null) return serve(whole, nowMs);
      const prepared = runs.prepare(request, nowMs);
      if (typeof prepared === 'string') return prepared;
      const response = runs.respond(prepared, caller, { who, nowMs });
      return typeof response === 'string' ? response : serve(response, nowMs);
    },
    fetchAhead: createFetchAhead({ ...options, runs }),
    learn: runs.learn,
  };
}

/** The whole response to the same request, if it is still current. */
function findWhole(request: DirectRequest, who: string, nowMs: number): CachedResponse | null {
  const whole = request.isRecent(nowMs) ? request.last?.response : null;
  return whole && isCurrent(whole, who, nowMs) ? whole : null;
}

/** Returns the response, and counts the uses of the parts it was made from. */
function serve({ body, encoded, parts }: CachedResponse, nowMs: number): DirectResponse {
  const { hits, freshUntilMs } = countUses(parts, nowMs);
  return { body, encoded, hits, freshUntilMs };
}
