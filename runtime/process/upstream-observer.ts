import type { CodedError, ErrorCode } from '../../kernel/errors.js';
import { type Log, traceIdOf } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { DriftKind } from '../../kernel/source-figures.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { Metrics } from './metrics.js';

/** Errors that an operator must fix or see. The others concern only the caller, and are in their response. */
const LEVELS: Partial<Record<ErrorCode, 'warn' | 'error'>> = {
  SOURCE_OFF: 'error',
  INTERNAL: 'error',
  UPSTREAM_UNAVAILABLE: 'warn',
  UPSTREAM_TIMEOUT: 'warn',
  UPSTREAM_INVALID_RESPONSE: 'warn',
  RATE_LIMITED: 'warn',
};

/**
 * Passes upstream calls, undocumented values, quota fallbacks and outages to the log and the metrics: counts every call
 * and logs those that failed; logs the first drift of each place and counts the rest; and logs when local fallback of a
 * quota, and an outage, start and end.
 */
export function createUpstreamObserver(log: Log, metrics: Metrics | null) {
  const drifted = new Set<string>();
  return {
    /** `operation` is the one that the call was made for; a trial is sent to a service that was down. */
    onCall(row: UpstreamCall, error: CodedError | null, operation?: OperationContext, isTrial = false) {
      metrics?.upstreamCall(row);
      const { requestId, span } = operation ?? {};
      const traceId = traceIdOf(span?.traceparent);
      if (error === null) return log.debug({ requestId, traceId, call: row }, 'upstream call');
      // A source that is not configured is no news at every field, nor is one that is down at every trial.
      const isKnown = row.sent === 0 || (isTrial && LEVELS[error.code] === 'warn');
      const level = isKnown ? 'debug' : (LEVELS[error.code] ?? 'debug');
      log[level]({ requestId, traceId, call: row, message: error.message, cause: error.cause }, 'upstream call failed');
    },
    onDrift(service: ServiceName, place: string, kind: DriftKind): void {
      metrics?.drift(service, place, kind);
      const seen = `${service} ${place} ${kind}`;
      if (drifted.has(seen)) return;
      drifted.add(seen);
      log.warn({ service, place, kind }, 'a service sent a value that is not as documented');
    },
    /** `reason` says why a quota is counted without the other replicas; null when it is shared again. */
    onQuotaFallback(service: ServiceName, reason: string | null): void {
      if (reason === null) log.info({ service }, 'the quota is shared again');
      else log.warn({ service, reason }, 'the quota is on its local fallback');
    },
    /** Called when routes such as `/v0/mission` go down or come back. */
    onOutage(service: ServiceName, routes: string, isDown: boolean): void {
      if (isDown) log.warn({ service, routes }, 'the circuit is open: only trials are sent');
      else log.info({ service, routes }, 'the circuit is half-open: the service answers again');
    },
  };
}
