import type { Credential, OperationContext, SourceStatus } from '../../kernel/operation.js';
import type { ServiceName, SourceState } from '../../kernel/services.js';
import type { DriftPlace, ScopeQuota, SourceFigures } from '../../kernel/source-figures.js';

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

/** Knows the state of a source, and its figures as seen by a caller with a key. */
interface Reporting {
  status(): SourceStatus;
  figures(credential: Credential | null): SourceFigures;
}

/** A source's current state and figures in the graph's vocabulary. They may change any time, so nobody caches them. */
export function sourceReport(
  name: ServiceName,
  source: Reporting,
  { credential, recorder }: OperationContext,
): SourceReport {
  recorder.forbidCaching();
  const status = source.status();
  const figures = source.figures(credential);
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
