import type { Log } from '../../schema/log.js';
import type { GraphqlAnswer } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { GatewayRequest } from '../request/request.js';

/** Told of each request that was answered. */
export interface RequestMetrics {
  /** `ms` is the time from its arrival to its answer. */
  request(answered: { readonly status: number; readonly ms: number }): void;
}

/** Clients choose the names of their operations: the log takes this many characters of one. */
const LOGGED_NAME = 100;

/** Writes the log line and the metrics of an operation that was run. */
export function reportAnswer(
  { log, metrics }: { readonly log: Log; readonly metrics: RequestMetrics | null },
  { status, errors }: GraphqlAnswer,
  { operationName }: GraphqlParameters,
  caller: GatewayRequest,
): void {
  const ms = Math.round(caller.ledger.elapsedMs());
  metrics?.request({ status, ms });
  const codes = [...new Set(errors?.map(({ extensions }) => extensions?.['code']))];
  const operation = operationName?.slice(0, LOGGED_NAME);
  log.info({ requestId: caller.id, operation, status, ms, ...caller.ledger.totals(), codes }, 'request answered');
}
