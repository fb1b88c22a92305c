import type { OperationContext } from '../../kernel/operation.js';
import { createSingleLoader } from '../graph/loader.js';
import type { SourceReport } from '../graph/sources.js';
import type { Upstream, UpstreamService } from '../rest/upstream.js';
import { countByRome } from './export/answers.js';
import type { Kind } from './export/questions.js';
import type { SiretDirectory } from './export/siret-directory.js';
import { createGeographyLoaders } from './geography/client.js';
import { createJobsLoaders } from './jobs/client.js';
import { createOrganismeLoaders } from './organismes/client.js';
import { createEstablishmentLoaders } from './organizations/loaders.js';
import { createTrainingLoaders } from './training/client.js';
import { JOB_SEARCHES } from './values/calls.js';

/** The context of this subgraph's resolvers. */
export interface Context {
  readonly operation: OperationContext;
  readonly upstream: Upstream;
  readonly loaders: Loaders;
  /** The daily export. */
  readonly directory: SiretDirectory;
  /** State of the service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}

/** The loaders of one request, by resource. */
export type Loaders = ReturnType<typeof createLoaders>;

/** Creates the loaders of one request. */
export function createLoaders(upstream: UpstreamService, directory: SiretDirectory) {
  const geography = createGeographyLoaders(upstream);
  const jobs = createJobsLoaders(upstream);
  return {
    geography,
    jobs,
    training: createTrainingLoaders(upstream),
    organismes: createOrganismeLoaders(upstream),
    /** Rows of a kind in the daily export, by occupation. */
    rowsByRome: createSingleLoader((kind: Kind, operation) => countByRome({ directory, upstream, operation }, kind)),
    organizations: createEstablishmentLoaders({
      directory,
      geography,
      jobs,
      sender: upstream.sender,
      searchesLeft: (operation) => searchesLeft(upstream, operation),
    }),
  };
}

/** Job searches left for the key of an operation. */
function searchesLeft(upstream: UpstreamService, { credential }: OperationContext): number {
  const quota = upstream.figures(credential).quotas.find(({ scope }) => scope === JOB_SEARCHES.scope);
  return quota?.remaining ?? JOB_SEARCHES.limit;
}
