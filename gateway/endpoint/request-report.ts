import type { Log } from '../../schema/log.js';
import type { Trace } from '../../schema/trace.js';
import type { WhyGeneral } from '../execution/direct/direct-executor.js';
import type { GraphqlResponse } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { SafelistDecision } from '../limits/safelist.js';
import type { EstimateBasis } from '../price/pricing.js';
import type { GatewayRequest } from '../request/request.js';

/** Counts requests. */
export interface RequestMetrics {
  /** `ms` is the time from the arrival of the request to its response. */
  request(result: { readonly status: number; readonly ms: number }): void;
  /** `way` is `direct`, or why a request was answered in the general way. */
  answered(way: WhyGeneral | 'direct'): void;
  /** Compares the calls that were estimated before a request with those that it made. */
  calls(compared: { readonly basis: EstimateBasis; readonly estimated: number; readonly made: number }): void;
  /** What the safelist said of an operation. */
  safelisted(outcome: SafelistDecision['outcome']): void;
}

/** Clients choose operation names: the log gets at most this many characters. */
const MAX_LOGGED_NAME = 100;

/** Where requests are logged and counted. */
interface Report {
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}

/** Logs and counts an operation that was executed. */
export function reportResponse(
  { log, metrics }: Report,
  { status, errors }: GraphqlResponse,
  { operationName }: GraphqlParameters,
  { caller, way }: { readonly caller: GatewayRequest; readonly way: WhyGeneral | undefined },
): void {
  const ms = Math.round(caller.recorder.elapsedMs());
  metrics?.request({ status, ms });
  const codes = [...new Set(errors?.map(({ extensions }) => extensions?.['code']))];
  const operation = operationName?.slice(0, MAX_LOGGED_NAME);
  log.info(
    { requestId: caller.id, operation, status, ms, ...caller.recorder.totals(), codes, way },
    'request answered',
  );
}

/** Logs and counts an operation that was answered from the cache: each call that it needed was saved. */
export function reportDirect(
  { log, metrics }: Report,
  { operationName }: GraphqlParameters,
  { id, ms, hits }: { readonly id: string; readonly ms: number; readonly hits: number },
): void {
  metrics?.request({ status: 200, ms });
  metrics?.answered('direct');
  const operation = operationName?.slice(0, MAX_LOGGED_NAME);
  const totals: Trace['totals'] = { callsMade: 0, savedByCache: hits, savedBySharing: 0 };
  log.info({ requestId: id, operation, status: 200, ms, ...totals, codes: [], way: 'direct' }, 'request answered');
}
