import type { Subgraph } from '../../schema/operation.js';
import { perRequest } from '../graph/loader.js';
import { createSubgraphSchema } from '../graph/subgraph-schema.js';
import type { UpstreamService } from '../rest/upstream.js';
import { createCertificationsClient } from './certifications/client.js';
import { certificationsResolvers } from './certifications/resolvers.js';
import type { Context, Loaders } from './context.js';
import type { SiretDirectory } from './export/siret-directory.js';
import { createGeographyClient } from './geography/client.js';
import { createGeographyLoaders } from './geography/loaders.js';
import { geographyResolvers } from './geography/resolvers.js';
import { createJobsClient } from './jobs/client.js';
import { createJobsLoaders } from './jobs/loaders.js';
import { jobsResolvers } from './jobs/resolvers.js';
import { missionsResolvers } from './missions/resolvers.js';
import { createOrganismesClient } from './organismes/client.js';
import { createOrganismesLoaders } from './organismes/loaders.js';
import { organismesResolvers } from './organismes/resolvers.js';
import { createEstablishmentLoaders } from './organizations/loaders.js';
import { organizationsResolvers } from './organizations/resolvers.js';
import { createPublishingClient } from './publishing/client.js';
import { publishingResolvers } from './publishing/resolvers.js';
import { sourcesResolvers } from './sources/resolvers.js';
import { createTrainingClient } from './training/client.js';
import { createTrainingLoaders } from './training/loaders.js';
import { trainingResolvers } from './training/resolvers.js';

export interface WorkStudySubgraphOptions {
  /** The service, reached with `workStudyDialect`. */
  readonly upstream: UpstreamService;
  /** Route that takes applications, below the base address. */
  readonly applyPath: string;
  /** Offers and recruiters by SIRET, from the daily export. */
  readonly directory: SiretDirectory;
}

/** The subgraph of offers, certifications, training and geography. Closing it lets go of the service and the export. */
export function createWorkStudySubgraph(options: WorkStudySubgraphOptions): Subgraph {
  const { upstream, directory } = options;
  const loadersOf = perRequest(createLoaders(options));
  return {
    name: 'work-study',
    schema: createSubgraphSchema('work-study', [
      geographyResolvers,
      certificationsResolvers,
      jobsResolvers,
      publishingResolvers,
      trainingResolvers,
      organismesResolvers,
      missionsResolvers,
      organizationsResolvers,
      sourcesResolvers,
    ]),
    contextFor: (operation): Context => ({
      operation,
      loaders: loadersOf(operation),
      status: () => upstream.status(),
    }),
    status: () => upstream.status(),
    async close() {
      await directory.close();
      await upstream.close();
    },
  };
}

/** The clients once, and from them the loaders of each request. */
function createLoaders({ upstream, directory, applyPath }: WorkStudySubgraphOptions): () => Loaders {
  const geographyClient = createGeographyClient(upstream);
  const jobsClient = createJobsClient(upstream);
  const trainingClient = createTrainingClient(upstream);
  const organismesClient = createOrganismesClient(upstream);
  const { certifications } = createCertificationsClient(upstream);
  const publishing = createPublishingClient(upstream, applyPath);
  const { origin } = upstream;
  return () => {
    const geography = createGeographyLoaders(geographyClient);
    const jobs = createJobsLoaders(jobsClient);
    return {
      geography,
      certifications,
      jobs,
      publishing,
      training: createTrainingLoaders(trainingClient),
      organismes: createOrganismesLoaders(organismesClient),
      organizations: createEstablishmentLoaders({ directory, geography, jobs, origin }),
    };
  };
}
