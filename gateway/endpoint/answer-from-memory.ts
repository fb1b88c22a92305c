import type { LimitHeaders } from '../callers/rate-limit.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { MemoryRequest, MemoryResponse, WhyExecuted } from '../memory/memory.js';
import type { Caller } from './caller.js';
import type { Endpoint } from './endpoint.js';
import type { RunningOperation } from './operation.js';
import { reportFromMemory } from './report.js';

/** A request whose caller is identified and counted, and how memory answers it. */
export interface AdmittedRequest {
  readonly caller: Caller;
  /** Headers that report what the caller has left. */
  readonly limits: LimitHeaders;
  /** The response; or why the operation has to be executed. */
  readonly answer: MemoryResponse | WhyExecuted;
}

/** The response, counted and logged, if all of its data is in memory and fresh; or why it has to be executed. */
export function answerFromMemory(
  endpoint: Endpoint,
  request: MemoryRequest,
  { id, caller }: { readonly id: string; readonly caller: Caller },
): MemoryResponse | WhyExecuted {
  // A trace has to show how the operation was executed.
  if (caller.traced) return 'report';
  const { credentials, traceparent } = caller;
  const startedMs = performance.now();
  const answer = endpoint.memory.answer(request, { id, credentials, startedMs });
  if (typeof answer !== 'string')
    reportFromMemory(endpoint, request.parameters, {
      id,
      traceparent,
      way: answer.way,
      hits: answer.hits,
      ms: performance.now() - startedMs,
    });
  return answer;
}

/** Learns an operation that was executed without an error, so that it may be answered from memory next time. */
export function learnOperation(
  { memory }: Endpoint,
  { operation: { parameters }, caller: { credentials }, gatewayRequest: { recorder } }: RunningOperation,
  { status, data, errors, bytes }: GraphqlResponse,
): void {
  if (status !== 200 || !data || errors !== undefined) return;
  const { needed, services, isCacheable } = recorder;
  const freshUntilMs = recorder.freshUntilMs();
  memory.learn(parameters, { data, bytes, credentials, needed, services, isCacheable, freshUntilMs });
}
