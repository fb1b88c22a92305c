import type { CodedError, ErrorCode } from '../../schema/errors.js';
import type { SourceStatus } from '../../schema/operation.js';
import type { UpstreamMode } from '../../schema/services.js';
import type { UpstreamCall } from '../../schema/trace.js';

/** So many failures in a row, and the source counts as down (the breaker's figure). */
const DOWN_AFTER = 5;

/** Failures of the service itself. Everything else, such as a refused input, shows that it is there. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
]);

/** What calls tell of a service's state. */
export interface Health {
  note(row: UpstreamCall, error: CodedError | null): void;
  status(): SourceStatus;
}

export function createHealth(mode: UpstreamMode): Health {
  let failuresInARow = 0;
  let operatorRefused = false;
  return {
    note(row, error) {
      if ((row.sent ?? 0) === 0) return;
      if (error?.code === 'SOURCE_OFF') operatorRefused = true;
      if (error !== null && OUTAGES.has(error.code)) failuresInARow += 1;
      else failuresInARow = 0;
      if (error === null) operatorRefused = false;
    },
    status() {
      if (mode === 'off') return { state: 'OFF', upstream: mode };
      if (operatorRefused) return { state: 'OFF', upstream: mode, detail: 'it refuses the key of the operator' };
      if (failuresInARow >= DOWN_AFTER) return { state: 'DOWN', upstream: mode, detail: 'its last calls all failed' };
      if (failuresInARow > 0) return { state: 'DEGRADED', upstream: mode, detail: 'its last call failed' };
      return { state: 'UP', upstream: mode };
    },
  };
}
