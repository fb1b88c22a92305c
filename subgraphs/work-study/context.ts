import type { OperationContext } from '../../kernel/operation.js';
import { createSingleLoader, type Load } from '../graph/loader.js';
import type { SourceReport } from '../graph/sources.js';
import type { Upstream, UpstreamService } from '../rest/upstream.js';
import { countByRome } from './export/answers.js';
import type { Kind } from './export/questions.js';
import type { SiretDirectory } from './export/siret-directory.js';
import { GeographyLoaders } from './geography/client.js';
import { createJobsLoaders, type JobsLoaders } from './jobs/client.js';
import { createOrganismeLoader, type OrganismeLoader } from './organismes/client.js';
import { EstablishmentLoaders } from './organizations/loaders.js';
import { createTrainingLoaders, type TrainingLoaders } from './training/client.js';
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

/** What loaders read with, for all requests. */
interface Sources {
  readonly upstream: UpstreamService;
  readonly directory: SiretDirectory;
}

/** The loaders of one request, by resource. Each is created on first use, because most requests need one or two. */
export class Loaders {
  readonly #sources: Sources;
  #geography: GeographyLoaders | null = null;
  #jobs: JobsLoaders | null = null;
  #training: TrainingLoaders | null = null;
  #organisme: OrganismeLoader | null = null;
  #organizations: EstablishmentLoaders | null = null;
  #rowsByRome: Load<Kind, ReadonlyMap<string, number>> | null = null;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  get geography(): GeographyLoaders {
    this.#geography ??= new GeographyLoaders(this.#sources.upstream);
    return this.#geography;
  }

  get jobs(): JobsLoaders {
    this.#jobs ??= createJobsLoaders(this.#sources.upstream);
    return this.#jobs;
  }

  get training(): TrainingLoaders {
    this.#training ??= createTrainingLoaders(this.#sources.upstream);
    return this.#training;
  }

  get organisme(): OrganismeLoader {
    this.#organisme ??= createOrganismeLoader(this.#sources.upstream);
    return this.#organisme;
  }

  /** Rows of a kind in the daily export, by occupation. */
  get rowsByRome(): Load<Kind, ReadonlyMap<string, number>> {
    const { upstream, directory } = this.#sources;
    this.#rowsByRome ??= createSingleLoader((kind, operation) => countByRome({ directory, upstream, operation }, kind));
    return this.#rowsByRome;
  }

  get organizations(): EstablishmentLoaders {
    const { upstream, directory } = this.#sources;
    const { geography, jobs } = this;
    this.#organizations ??= new EstablishmentLoaders({
      directory,
      geography,
      jobs,
      origin: upstream.origin,
      searchesLeft: (operation) => searchesLeft(upstream, operation),
    });
    return this.#organizations;
  }
}

/** Job searches left for the key of an operation. */
function searchesLeft(upstream: UpstreamService, { credential }: OperationContext): number {
  const quota = upstream.figures(credential).quotas.find(({ scope }) => scope === JOB_SEARCHES.scope);
  return quota?.remaining ?? JOB_SEARCHES.limit;
}
