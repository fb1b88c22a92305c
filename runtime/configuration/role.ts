import type { ServiceName } from '../../schema/services.js';

/** What this process is: everything in one, only the gateway, or one service's subgraph (architecture 2). */
export type Role = 'all' | 'gateway' | ServiceName;

/** Where each subgraph listens when it runs in its own process, as `schema/supergraph.graphql` says. */
export const SUBGRAPH_PORTS: Readonly<Record<ServiceName, number>> = {
  'work-study': 4001,
  'waste-identity': 4002,
  volunteering: 4003,
};

/** Whether a process of this role serves one subgraph and no gateway. */
export function isSubgraph(role: Role): role is ServiceName {
  return role !== 'all' && role !== 'gateway';
}
