import type { ServiceName } from '../../kernel/services.js';

/** What this process is: everything in one, only the gateway, or one service's subgraph (architecture 2). */
export type Role = 'all' | 'gateway' | ServiceName;

/** Where each subgraph listens when it runs in its own process, as `schema/supergraph.graphql` says. */
const SUBGRAPH_PORTS: Readonly<Record<ServiceName, number>> = {
  'work-study': 4001,
  'waste-identity': 4002,
  volunteering: 4003,
};

/** Whether a process of this role serves one subgraph and no gateway. */
export function isSubgraph(role: Role): role is ServiceName {
  return role !== 'all' && role !== 'gateway';
}

/** Port of a process of this role, unless PORT sets another. */
export function defaultPort(role: Role): number {
  return isSubgraph(role) ? SUBGRAPH_PORTS[role] : 4000;
}

/** Where a gateway alone looks for a subgraph of ours, unless configured otherwise. */
export function usualAddress(service: ServiceName): string {
  return `http://127.0.0.1:${SUBGRAPH_PORTS[service]}/graphql`;
}

/** Name of this process in traces, unless OTEL_SERVICE_NAME sets another. */
export function defaultTraceName(role: Role): string {
  return isSubgraph(role) ? `passerelle-${role}` : 'passerelle';
}
