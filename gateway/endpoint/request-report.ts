import { type Log, type SpanAttributes, type Tracing, traceIdOf } from '../../kernel/log.js';
import type { Trace } from '../../kernel/trace.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { SafelistDecision } from '../limits/safelist.js';
import type { MemoryWay, WhyExecuted } from '../memory/memory.js';
import type { EstimateBasis } from '../price/pricing.js';
import type { GatewayRequest } from '../request/request.js';
import { type Outcome, outcomeOf } from './outcome.js';

/** A request as it is counted. */
interface AnsweredRequest {
  readonly status: number;
  readonly ms: number;
  /** The name that the client gave it; undefined if none. */
  readonly operation?: string | undefined;
  /** Absent for a request that never became an operation. */
  readonly outcome?: Outcome;
}

/** How a request was executed: on the executable schema of this process, or on remote subgraphs. */
export type ExecutedWay = 'schema' | 'remote';

/** How a request was answered (execution 1). */
export type Way = MemoryWay | ExecutedWay;

/** Why a request was executed; `report`: a trace, rows and prices are only made by an execution. */
export type ExecutionReason = WhyExecuted | 'report';

/** Counts requests. */
export interface RequestMetrics {
  /** `ms` is the time from the arrival of the request to its response. */
  request(result: AnsweredRequest): void;
  /** `reason` is why it was not answered from memory; empty if it was. */
  answered(way: Way, reason: ExecutionReason | ''): void;
  /** Compares the calls that were estimated before a request with those that it made. */
  calls(compared: { readonly basis: EstimateBasis; readonly estimated: number; readonly made: number }): void;
  /** Counts a decision of the safelist. */
  safelisted(outcome: SafelistDecision['outcome']): void;
}

/** Clients choose operation names: at most this many characters are logged. */
const MAX_LOGGED_NAME = 100;

/** Where requests are logged, counted and traced. */
export interface Report {
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  readonly tracing: Tracing | null;
}

/** Logs and counts an operation that was executed, and ends its span. */
export function reportResponse(
  { log, metrics }: Report,
  { status, data, errors }: GraphqlResponse,
  { operationName }: GraphqlParameters,
  {
    gatewayRequest,
    way,
    reason,
  }: { readonly gatewayRequest: GatewayRequest; readonly way: ExecutedWay; readonly reason: ExecutionReason },
): void {
  const { id: requestId, recorder, span } = gatewayRequest;
  const ms = Math.round(recorder.elapsedMs());
  const outcome = outcomeOf({ data, errors });
  metrics?.request({ status, ms, operation: operationName, outcome });
  metrics?.answered(way, reason);
  const codes = [...new Set(errors?.map(({ extensions }) => extensions?.['code']))];
  const operation = operationName?.slice(0, MAX_LOGGED_NAME);
  const totals = recorder.totals();
  const isAnswered = outcome === 'ok' || outcome === 'partial';
  const attributes = {
    ...attributesOf(operation, status, totals),
    'passerelle.way': way,
    'passerelle.reason': reason,
  };
  span?.end(attributes, isAnswered ? undefined : String(codes[0]));
  const traceId = traceIdOf(gatewayRequest.traceparent);
  log.info({ requestId, traceId, operation, status, ms, ...totals, codes, way, reason }, 'request answered');
}

/** Logs, counts and traces an operation that was answered from the cache, which saved every call that it needed. */
export function reportRemembered(
  { log, metrics, tracing }: Report,
  { operationName }: GraphqlParameters,
  answered: {
    readonly id: string;
    readonly way: MemoryWay;
    readonly ms: number;
    readonly hits: number;
    readonly traceparent: string | undefined;
  },
): void {
  const { id: requestId, hits, traceparent } = answered;
  const ms = Math.round(answered.ms);
  metrics?.request({ status: 200, ms, operation: operationName, outcome: 'ok' });
  metrics?.answered(answered.way, '');
  const operation = operationName?.slice(0, MAX_LOGGED_NAME);
  const saved = { callsMade: 0, savedByCache: hits, savedBySharing: 0 };
  const span = tracing?.start('request', traceparent, Date.now() - answered.ms);
  span?.end({ ...attributesOf(operation, 200, saved), 'passerelle.way': answered.way });
  const traceId = traceIdOf(span?.traceparent ?? traceparent);
  log.info(
    { requestId, traceId, operation, status: 200, ms, ...saved, codes: [], way: answered.way },
    'request answered',
  );
}

function attributesOf(operation: string | undefined, status: number, totals: Trace['totals']): SpanAttributes {
  return {
    'graphql.operation.name': operation ?? '',
    'http.response.status_code': status,
    'passerelle.calls_made': totals.callsMade,
    'passerelle.saved_by_cache': totals.savedByCache,
    'passerelle.saved_by_sharing': totals.savedBySharing,
  };
}
