import type { OperationContext } from '../../kernel/operation.js';
import type { SourceReport } from '../graph/sources.js';
import type { UpstreamService } from '../rest/upstream.js';
import { type CertificationsClient, createCertificationsClient } from './certifications/client.js';
import type { SiretDirectory } from './export/siret-directory.js';
import type { GeographyClient } from './geography/client.js';
import { createGeographyLoaders, type GeographyLoaders } from './geography/loaders.js';
import type { UsedCommunes } from './geography/warm-up.js';
import { createJobsClient, type JobsClient } from './jobs/client.js';
import { createJobsLoaders, type JobsLoaders } from './jobs/loaders.js';
import { createOrganismesClient, type OrganismesClient } from './organismes/client.js';
import { createOrganismesLoaders, type OrganismesLoaders } from './organismes/loaders.js';
import { createEstablishmentLoaders, type EstablishmentLoaders } from './organizations/loaders.js';
import type { PublishingClient } from './publishing/client.js';
import { createTrainingClient, type TrainingClient } from './training/client.js';
import { createTrainingLoaders, type TrainingLoaders } from './training/loaders.js';
import { JOB_SEARCHES } from './values/scopes.js';

/** The context of this subgraph's resolvers. */
export interface Context {
  readonly operation: OperationContext;
  /** By resource, for one request. */
  readonly loaders: Loaders;
  /** Remembers the communes of missions for the next start; null when there is no warm-up. */
  readonly usedCommunes: UsedCommunes | null;
  /** State of the service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}

/** Loaders of one request, by resource. */
interface Loaders {
  readonly geography: GeographyLoaders;
  readonly certifications: CertificationsClient['certifications'];
  readonly jobs: JobsLoaders;
  readonly publishing: PublishingClient;
  readonly training: TrainingLoaders;
  readonly organismes: OrganismesLoaders;
  readonly organizations: EstablishmentLoaders;
}

/** What loaders read with; the subgraph also uses some of it directly. */
interface Sources {
  readonly upstream: UpstreamService;
  readonly geography: GeographyClient;
  readonly publishing: PublishingClient;
  readonly directory: SiretDirectory;
}

/** One client per resource. */
interface Clients extends Sources {
  readonly certifications: CertificationsClient['certifications'];
  readonly jobs: JobsClient;
  readonly training: TrainingClient;
  readonly organismes: OrganismesClient;
}

/** Creates the clients once; returns a factory of one request's loaders. */
export function createLoaders(sources: Sources): () => Loaders {
  const { upstream } = sources;
  const clients: Clients = {
    ...sources,
    jobs: createJobsClient(upstream),
    training: createTrainingClient(upstream),
    organismes: createOrganismesClient(upstream),
    certifications: createCertificationsClient(upstream).certifications,
  };
  return () => new RequestLoaders(clients);
}

/** Creates each loader on first use, because most requests need one or two. */
class RequestLoaders implements Loaders {
  readonly #clients: Clients;
  #geography: GeographyLoaders | null = null;
  #jobs: JobsLoaders | null = null;
  #training: TrainingLoaders | null = null;
  #organismes: OrganismesLoaders | null = null;
  #organizations: EstablishmentLoaders | null = null;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  get certifications() {
    return this.#clients.certifications;
  }

  get publishing() {
    return this.#clients.publishing;
  }

  get geography() {
    this.#geography ??= createGeographyLoaders(this.#clients.geography);
    return this.#geography;
  }

  get jobs() {
    this.#jobs ??= createJobsLoaders(this.#clients.jobs);
    return this.#jobs;
  }

  get training() {
    this.#training ??= createTrainingLoaders(this.#clients.training);
    return this.#training;
  }

  get organismes() {
    this.#organismes ??= createOrganismesLoaders(this.#clients.organismes);
    return this.#organismes;
  }

  get organizations() {
    this.#organizations ??= this.#createOrganizations();
    return this.#organizations;
  }

  #createOrganizations(): EstablishmentLoaders {
    const { directory, upstream } = this.#clients;
    const { geography, jobs } = this;
    const searchesLeft = ({ credential }: OperationContext) =>
      upstream.figures(credential).quotas.find(({ scope }) => scope === JOB_SEARCHES.scope)?.remaining ??
      JOB_SEARCHES.limit;
    return createEstablishmentLoaders({ directory, geography, jobs, origin: upstream.origin, searchesLeft });
  }
}
