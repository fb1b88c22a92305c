import type { Subgraph } from '../../kernel/operation.js';
import { officialCommunes } from '../codes/official-communes.js';
import { createPendingLookUps, perRequest } from '../graph/loader.js';
import { sourceReport } from '../graph/sources.js';
import { subgraphSchema } from '../graph/subgraph-schema.js';
import type { UpstreamService } from '../rest/upstream.js';
import type { Context } from './context.js';
import { createOrganizationMissionLoaders } from './links/organization-missions.js';
import { linkResolvers } from './links/resolvers.js';
import { createMissionLoaders } from './missions/client.js';
import { missionResolvers } from './missions/resolvers.js';
import { nodeResolvers } from './nodes/resolvers.js';
import { createOrganizationLoaders, type SeenEra } from './organizations/loaders.js';
import { organizationResolvers } from './organizations/resolvers.js';

interface VolunteeringSubgraphOptions {
  /** The service, reached with `volunteeringDialect`. */
  readonly upstream: UpstreamService;
}

/** The subgraph's schema, created at the first call. */
export const volunteeringSchema = subgraphSchema('volunteering', [
  missionResolvers,
  organizationResolvers,
  linkResolvers,
  nodeResolvers,
]);

/** The subgraph of missions and organizations. Closing it releases the service. */
export function createVolunteeringSubgraph({ upstream }: VolunteeringSubgraphOptions): Subgraph {
  // Before anybody is served.
  officialCommunes();
  const era: SeenEra = { noSirenUntilMs: 0 };
  const loadersOf = perRequest(() => {
    const { missionById, seenMissions } = createMissionLoaders(upstream);
    const lookUps = createPendingLookUps();
    const organizations = createOrganizationLoaders(upstream, era, lookUps.note);
    const { missionsOf } = createOrganizationMissionLoaders(upstream, lookUps);
    return { missionById, seenMissions, ...organizations, missionsOf };
  });
  return {
    name: 'volunteering',
    schema: volunteeringSchema(),
    contextFor: (operation): Context => ({
      operation,
      upstream,
      loaders: loadersOf(operation),
      report: () => sourceReport(upstream.sender.service, upstream, operation),
    }),
    status: () => upstream.status(),
    figures: (credential) => upstream.figures(credential),
    version: (credential) => upstream.version(credential),
    close: () => upstream.close(),
  };
}
