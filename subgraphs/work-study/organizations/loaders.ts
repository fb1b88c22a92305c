import type { OperationContext } from '../../../schema/operation.js';
import { isSiret } from '../../codes/siret.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Origin } from '../../rest/shape.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import type { GeographyLoaders } from '../geography/loaders.js';
import type { JobsLoaders } from '../jobs/loaders.js';
import { type Establishments, establishmentsOf, NO_ESTABLISHMENTS, rowsUnder, searchAround } from './establishments.js';

/** Whose establishments are wanted. */
export interface Owner {
  readonly sirets: readonly string[];
  /** INSEE code of the commune to search around while the export is not there; null when it is not known. */
  readonly insee: string | null;
}

export interface EstablishmentLoaders {
  /** What work-study knows under the owner's SIRETs. */
  readonly establishments: Load<Owner, Establishments>;
  /** Whether the export is there for all of the SIRETs, so that nothing can be missing. Costs no search. */
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
  const rows = createSingleLoader((siret: string) => directory.find(siret));

  /** The rows of all SIRETs, likely recruiters included; null while the export is not there. */
  async function exportRows(sirets: readonly string[], operation: OperationContext): Promise<unknown[] | null> {
    const found = await Promise.all(sirets.map((siret) => rows(siret, operation)));
    return found.includes(null) ? null : found.flatMap((of) => of ?? []);
  }

  async function load({ sirets, insee }: Owner, operation: OperationContext): Promise<Establishments> {
    if (sirets.length === 0) return NO_ESTABLISHMENTS;
    const known = await exportRows(sirets, operation);
    if (known !== null) return establishmentsOf(known, true, origin);
    const commune = insee === null ? null : await geography.commune(insee, operation);
    const filter = searchAround(commune);
    const found = filter === null ? null : await jobs.search(filter, operation);
    return establishmentsOf(found === null ? [] : rowsUnder(sirets, found), false, origin);
  }

  return {
    establishments: createSingleLoader(load, ({ sirets, insee }) => JSON.stringify([insee, sirets])),
    isComplete: async (sirets, operation) => (await exportRows(sirets, operation)) !== null,
  };
}

/** The distinct SIRETs of an owner. A malformed one of another source joins to nothing, without an error. */
export function siretsOf(...sirets: readonly (string | null | undefined)[]): string[] {
  return [...new Set(sirets)].filter((siret): siret is string => typeof siret === 'string' && isSiret(siret));
}
