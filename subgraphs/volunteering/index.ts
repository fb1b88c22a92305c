import type { Subgraph } from '../../kernel/operation.js';
import { perRequest } from '../graph/loader.js';
import { sourceReport } from '../graph/source-report.js';
import { subgraphSchema } from '../graph/subgraph-schema.js';
import type { UpstreamService } from '../rest/upstream.js';
import type { Context } from './context.js';
import { linkResolvers } from './links/resolvers.js';
import { createMissionsClient } from './missions/client.js';
import { createMissionLoaders } from './missions/loaders.js';
import { missionCountResolvers, missionResolvers } from './missions/resolvers.js';
import { createOrganizationsClient } from './organizations/client.js';
import { createOrganizationLoaders } from './organizations/loaders.js';
import { organizationResolvers } from './organizations/resolvers.js';
import { sourceResolvers } from './sources/resolvers.js';

interface VolunteeringSubgraphOptions {
  /** The service, reached with `volunteeringDialect`. */
  readonly upstream: UpstreamService;
}

/** The subgraph's schema, created at the first call. */
export const volunteeringSchema = subgraphSchema('volunteering', [
  missionResolvers,
  missionCountResolvers,
  organizationResolvers,
  linkResolvers,
  sourceResolvers,
]);

/** The subgraph of missions and organizations. Closing it releases the service. */
export function createVolunteeringSubgraph({ upstream }: VolunteeringSubgraphOptions): Subgraph {
  const missions = createMissionsClient(upstream);
  const organizations = createOrganizationsClient(upstream);
  const loadersOf = perRequest(() => {
    const { missionById, seenMissions } = createMissionLoaders(missions);
    const { organizationByCodes, seenOrganizations } = createOrganizationLoaders(organizations);
    return { missionById, seenMissions, organizationByCodes, seenOrganizations };
  });
  return {
    name: 'volunteering',
    schema: volunteeringSchema(),
    contextFor: (operation): Context => ({
      operation,
      missions,
      organizations,
      loaders: loadersOf(operation),
      origin: upstream.origin,
      report: () => sourceReport(upstream.origin.service, upstream, operation),
    }),
    status: () => upstream.status(),
    figures: (credential) => upstream.figures(credential),
    close: () => upstream.close(),
  };
}
