import type { Log } from '../../schema/log.js';
import type { DirectExecutor, DirectResponse, WhyGeneral } from '../execution/direct/direct-executor.js';
import type { GraphqlResponse } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { Caller } from './caller.js';
import { type RequestMetrics, reportDirect } from './request-report.js';

/** What answering from what is kept needs of the endpoint. */
export interface DirectEndpointOptions {
  /** Null where no subgraph of ours runs in this process. */
  readonly direct: DirectExecutor | null;
  readonly deadlineMs: number;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}

/** Answers from what is kept where that has all of it (execution). */
export interface DirectEndpoint {
  /** The response, counted and logged; why it has to be executed; null for one that is not answered so anyway. */
  execute(id: string, parameters: GraphqlParameters, caller: Caller): DirectResponse | WhyGeneral | null;
  /** What was executed without an error may be answered directly the next time. */
  learn(parameters: GraphqlParameters, response: GraphqlResponse): void;
}

/** The one place where answering directly is switched in. */
export function createDirectEndpoint(options: DirectEndpointOptions): DirectEndpoint {
  const { direct, deadlineMs, metrics } = options;
  return {
    execute(id, parameters, { traced, credentials }) {
      // A trace tells how a plan was executed.
      if (direct === null || traced) return null;
      const startedMs = performance.now();
      const response = direct.execute(parameters, { id, credentials, deadlineMs });
      if (typeof response === 'string') metrics?.answered(response);
      else
        reportDirect(options, parameters, { id, ms: Math.round(performance.now() - startedMs), hits: response.hits });
      return response;
    },
    learn(parameters, { status, data, errors }) {
      if (status === 200 && data && errors === undefined) direct?.learn(parameters);
    },
  };
}
