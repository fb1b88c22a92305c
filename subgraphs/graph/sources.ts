import type { Field, FieldMap } from '../../kernel/declared-field.js';
import type { OperationContext, Subgraph } from '../../kernel/operation.js';
import { LISTS_SOURCES, SERVICE_ENTRIES, SERVICES, type ServiceName, type SourceState } from '../../kernel/services.js';
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

/** A source's current state and figures in the graph's vocabulary. They may change any time, so nobody caches them. */
export function sourceReport(
  name: ServiceName,
  source: Pick<Subgraph, 'status' | 'figures'>,
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

/** What resolvers of sources read of the context of their subgraph. */
interface Reporter {
  readonly operation: unknown;
  /** State of the subgraph's own service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}

/** A source by name; only that of the subgraph's own service has more. */
interface NamedSource {
  readonly __typename: string;
  readonly name: string;
}

/**
 * The fields of a subgraph that report on its service. It knows the state of no other, and never fails to report its own
 * (architecture 5).
 */
export function sourceResolvers(service: ServiceName): FieldMap {
  const named = (name: ServiceName): NamedSource => ({ __typename: SERVICE_ENTRIES[name].source.type, name });
  const own = ({ report }: Pick<Reporter, 'report'>): NamedSource => ({ ...report(), ...named(service) });
  const id: Field<string, NamedSource, Reporter, unknown> = ({ name }) => name;
  const sources: Field<NamedSource[], unknown, Reporter, unknown> = (_root, _args, context) =>
    SERVICES.map((name) => (name === service ? own(context) : named(name)));
  const lists = service === LISTS_SOURCES;
  const types = (lists ? SERVICES : [service]).map((name) => [SERVICE_ENTRIES[name].source.type, { id }]);
  const { type } = SERVICE_ENTRIES[service].source;
  return {
    ...Object.fromEntries(types),
    ...(lists && { Query: { sources } }),
    [type]: {
      id,
      __resolveReference: ({ name }: NamedSource, context: Reporter) => (name === service ? own(context) : null),
    },
  };
}
