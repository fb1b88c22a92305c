import type { OperationContext } from '../../../schema/operation.js';
import { isSiret } from '../../codes/siret.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Origin } from '../../rest/shape.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import type { GeographyLoaders } from '../geography/loaders.js';
import type { JobsLoaders } from '../jobs/loaders.js';
import { JobOffer, type JobOfferView } from '../jobs/shapes.js';
import { type Establishments, establishmentsOf, NO_ESTABLISHMENTS, searchAround } from './establishments.js';

/** Whose establishments are wanted. */
export interface Owner {
  readonly sirets: readonly string[];
  /** INSEE code of the commune to search around while the export is not there; null when it is not known. */
  readonly insee: string | null;
}

export interface EstablishmentLoaders {
  /** What work-study knows under the owner's SIRETs. */
  readonly establishments: Load<Owner, Establishments>;
  /** Whether the export is there for all of the SIRETs, so that nothing is missing. */
  isComplete(sirets: readonly string[], operation: OperationContext): Promise<boolean>;
}

interface Sources {
  readonly directory: SiretDirectory;
  readonly geography: GeographyLoaders;
  readonly jobs: JobsLoaders;
  readonly origin: Origin;
}

/** Loaders of establishments for one request: each SIRET is read from the export once. */
export function createEstablishmentLoaders({ directory, geography, jobs, origin }: Sources): EstablishmentLoaders {
  const rows = createSingleLoader((siret: string) => rowsOf(directory, siret, origin));
  return {
    establishments: createSingleLoader(
      async ({ sirets, insee }: Owner, operation) => {
        if (sirets.length === 0) return NO_ESTABLISHMENTS;
        const known = await Promise.all(sirets.map((siret) => rows(siret, operation)));
        if (known.every((of) => of !== null)) return establishmentsOf(known.flat(), true);
        const commune = insee === null ? null : await geography.commune(insee, operation);
        return searchAround(commune, sirets, (filter) => jobs.search(filter, operation));
      },
      (owner) => JSON.stringify([owner.insee, ...owner.sirets]),
    ),
    async isComplete(sirets, operation) {
      const known = await Promise.all(sirets.map((siret) => rows(siret, operation)));
      return known.every((of) => of !== null);
    },
  };
}

/** Rows of the export under a SIRET, likely recruiters included; null while the export is not there. */
async function rowsOf(directory: SiretDirectory, siret: string, origin: Origin): Promise<JobOfferView[] | null> {
  const found = await directory.find(siret);
  return found === null ? null : found.map((row) => JobOffer.view(row, origin));
}

/** The distinct SIRETs of an organization. A malformed one of another source joins to nothing, without an error. */
export function siretsOf(...sirets: readonly (string | null | undefined)[]): string[] {
  return [...new Set(sirets)].filter((siret): siret is string => typeof siret === 'string' && isSiret(siret));
}
