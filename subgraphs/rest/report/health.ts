import type { CodedError } from '../../../kernel/errors.js';
import type { SourceStatus } from '../../../kernel/operation.js';
import type { UpstreamMode } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { isOutage } from '../failures/errors.js';
import type { RouteGroups } from '../resilience/route-groups.js';

/** What calls reveal about a service's state. */
export interface Health {
  record(row: UpstreamCall, error: CodedError | null): void;
  /** Whether the service has just refused the operator's key; callers' own keys say nothing about that. */
  recordOperatorKey(refused: boolean): void;
  status(): SourceStatus;
}

/**
 * The state depends on the breakers of the service's routes, its last call, and its last verdict on the operator's key.
 * `isLocalFallback` returns whether quota is counted without the other replicas.
 */
export function createHealth(mode: UpstreamMode, groups: RouteGroups, isLocalFallback: () => boolean): Health {
  let lastFailed = false;
  let operatorRefused = false;

  function trouble(): Pick<SourceStatus, 'state' | 'detail'> | null {
    if (operatorRefused) return { state: 'OFF', detail: "it refuses the operator's key" };
    const all = groups.all();
    const open = all.filter(({ breaker }) => breaker.state === 'open').map(({ name }) => name);
    if (open.length > 0) {
      return { state: open.length === all.length ? 'DOWN' : 'DEGRADED', detail: `not available: ${open.join(', ')}` };
    }
    const halfOpen = all.filter(({ breaker }) => breaker.state === 'half-open').map(({ name }) => name);
    if (halfOpen.length > 0) return { state: 'DEGRADED', detail: `recovering: ${halfOpen.join(', ')}` };
    if (lastFailed) return { state: 'DEGRADED', detail: 'its last call failed' };
    return isLocalFallback()
      ? { state: 'UP', detail: 'its quota is on its local fallback: the shared store is away' }
      : null;
  }

  return {
    record({ sent = 0 }, error) {
      if (sent === 0) return;
      lastFailed = isOutage(error);
    },
    recordOperatorKey(refused) {
      operatorRefused = refused;
    },
    status() {
      if (mode === 'off') return { state: 'OFF', upstream: mode };
      return { state: 'UP', ...trouble(), upstream: mode };
    },
  };
}
