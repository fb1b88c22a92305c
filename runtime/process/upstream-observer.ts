import type { CodedError, ErrorCode } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { OperationContext } from '../../schema/operation.js';
import type { ServiceName } from '../../schema/services.js';
import type { DriftKind } from '../../schema/source-figures.js';
import type { UpstreamCall } from '../../schema/trace.js';
import { traceIdOf } from '../../schema/tracing.js';
import type { Metrics } from './metrics.js';

/** Who hears of each upstream call and each value that is not as documented: the log and the metrics. */
export interface UpstreamObserver {
  /** The operation is that for which the call was made; a trial is of a service that was down before. */
  onCall(row: UpstreamCall, error: CodedError | null, operation?: OperationContext, isTrial?: boolean): void;
  onDrift(service: ServiceName, place: string, kind: DriftKind): void;
  /** Why a quota is counted without the other replicas; null when it is shared again. */
  onQuotaFallback(service: ServiceName, reason: string | null): void;
  /** Whether routes such as `/v0/mission` are down, when that changes. */
  onOutage(service: ServiceName, routes: string, isDown: boolean): void;
}

/** What an operator must fix or see. The rest concerns only the caller, and is in their response. */
const LEVELS: Partial<Record<ErrorCode, 'warn' | 'error'>> = {
  SOURCE_OFF: 'error',
  INTERNAL: 'error',
  UPSTREAM_UNAVAILABLE: 'warn',
  UPSTREAM_TIMEOUT: 'warn',
  UPSTREAM_INVALID_RESPONSE: 'warn',
  RATE_LIMITED: 'warn',
};

/**
 * Counts every call and writes down the ones that failed; the first drift of each place, and its count after that;
 * where a quota begins and ends to be counted without the other replicas; and where an outage begins and ends.
 */
export function createUpstreamObserver(log: Log, metrics: Metrics | null): UpstreamObserver {
  const drifted = new Set<string>();
  return {
    onCall(row, error, operation, isTrial = false) {
      metrics?.upstreamCall(row);
      if (error === null) return log.debug({ call: row }, 'upstream call');
      // A source that was never configured is no news at each field, nor one that is down at each trial.
      const isKnown = row.sent === 0 || (isTrial && LEVELS[error.code] === 'warn');
      const level = isKnown ? 'debug' : (LEVELS[error.code] ?? 'debug');
      const { requestId, span } = operation ?? {};
      const traceId = traceIdOf(span?.traceparent);
      log[level]({ requestId, traceId, call: row, message: error.message, cause: error.cause }, 'upstream call failed');
    },
    onDrift(service, place, kind) {
      metrics?.drift(service, place, kind);
      const seen = `${service} ${place} ${kind}`;
      if (drifted.has(seen)) return;
      drifted.add(seen);
      log.warn({ service, place, kind }, 'a service sent a value that is not as documented');
    },
    onQuotaFallback(service, reason) {
      if (reason === null) log.info({ service }, 'the quota is shared again');
      else log.warn({ service, reason }, 'the quota is on its local fallback');
    },
    onOutage(service, routes, isDown) {
      if (isDown) log.warn({ service, routes }, 'the circuit is open: only trials are sent');
      else log.info({ service, routes }, 'the circuit is half-open: the service answers again');
    },
  };
}
