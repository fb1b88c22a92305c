import type { Log } from '../../schema/log.js';
import type { GraphqlResponse } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { GatewayRequest } from '../request/request.js';

/** Counts requests. */
export interface RequestMetrics {
  /** `ms` is the time from the arrival of the request to its response. */
  request(result: { readonly status: number; readonly ms: number }): void;
}

/** Clients choose operation names: the log gets at most this many characters. */
const MAX_LOGGED_NAME = 100;

/** Logs and counts an operation that was executed. */
export function reportResponse(
  { log, metrics }: { readonly log: Log; readonly metrics: RequestMetrics | null },
  { status, errors }: GraphqlResponse,
  { operationName }: GraphqlParameters,
  caller: GatewayRequest,
): void {
  const ms = Math.round(caller.ledger.elapsedMs());
  metrics?.request({ status, ms });
  const codes = [...new Set(errors?.map(({ extensions }) => extensions?.['code']))];
  const operation = operationName?.slice(0, MAX_LOGGED_NAME);
  log.info({ requestId: caller.id, operation, status, ms, ...caller.ledger.totals(), codes }, 'request answered');
}
