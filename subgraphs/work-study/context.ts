import type { OperationContext } from '../../kernel/operation.js';
import type { SourceReport } from '../graph/source-report.js';
import type { CertificationsClient } from './certifications/client.js';
import type { GeographyLoaders } from './geography/loaders.js';
import type { JobsLoaders } from './jobs/loaders.js';
import type { OrganismesLoaders } from './organismes/loaders.js';
import type { EstablishmentLoaders } from './organizations/loaders.js';
import type { PublishingClient } from './publishing/client.js';
import type { TrainingLoaders } from './training/loaders.js';
import type { UsedCommunes } from './warm-up/used-communes.js';

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
export interface Loaders {
  readonly geography: GeographyLoaders;
  readonly certifications: CertificationsClient['certifications'];
  readonly jobs: JobsLoaders;
  readonly publishing: PublishingClient;
  readonly training: TrainingLoaders;
  readonly organismes: OrganismesLoaders;
  readonly organizations: EstablishmentLoaders;
}
