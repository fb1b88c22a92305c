import type { Log } from '../../schema/log.js';
import type { DirectAnswer, DirectAnswers, WhyGeneral } from '../execution/direct/direct-answers.js';
import type { GraphqlResponse } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { Caller } from './caller.js';
import { type RequestMetrics, reportDirect } from './request-report.js';

/** What answering from what is kept needs of the endpoint. */
export interface DirectEndpointOptions {
  /** Null where no subgraph of ours runs in this process. */
  readonly direct: DirectAnswers | null;
  readonly deadlineMs: number;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}

/** Answers from what is kept where that has all of it (execution). */
export interface DirectEndpoint {
  /** The response, counted and logged; why it has to be executed; null for one that is not answered so anyway. */
  answer(id: string, parameters: GraphqlParameters, caller: Caller): DirectAnswer | WhyGeneral | null;
  /** What was executed without an error may be answered directly the next time. */
  learn(parameters: GraphqlParameters, response: GraphqlResponse): void;
}

/** The one place where answering directly is switched in. */
export function createDirectEndpoint(options: DirectEndpointOptions): DirectEndpoint {
  const { direct, deadlineMs, metrics } = options;
  return {
    answer(id, parameters, { traced, credentials }) {
      // A trace tells how a plan was executed.
      if (direct === null || traced) return null;
      const began = performance.now();
      const answer = direct.answer(parameters, { id, credentials, deadlineMs });
      if (typeof answer === 'string') metrics?.answered(answer);
      else reportDirect(options, parameters, { id, ms: Math.round(performance.now() - began), hits: answer.hits });
      return answer;
    },
    learn(parameters, { status, data, errors }) {
      if (status === 200 && data && errors === undefined) direct?.learn(parameters);
    },
  };
}
