import type { SourceStatus } from '../../schema/operation.js';
import type { SourceState } from '../../schema/services.js';
import type { DriftPlace, ScopeQuota, SourceFigures } from '../../schema/source-figures.js';

/** A source as the graph exposes it: the fields of the interface `Source`. */
export interface SourceReport extends SourceFigures {
  readonly name: string;
  readonly state: SourceState;
  readonly upstream: 'REAL' | 'SANDBOX' | 'OFF';
  readonly detail: string | null;
  readonly quotas: ScopeQuota[];
  readonly driftPlaces: DriftPlace[];
}

const MODES = { real: 'REAL', sandbox: 'SANDBOX', off: 'OFF' } as const;

/** A source's state and figures in the graph's vocabulary. */
export function sourceReport(name: string, status: SourceStatus, figures: SourceFigures): SourceReport {
  return {
    ...figures,
    name,
    state: status.state,
    upstream: MODES[status.upstream],
    detail: status.detail ?? null,
    quotas: [...figures.quotas],
    driftPlaces: [...figures.driftPlaces],
  };
}
