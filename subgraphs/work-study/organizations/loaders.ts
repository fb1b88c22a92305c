import type { OperationContext } from '../../../schema/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Origin } from '../../rest/shapes/shape.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import type { GeographyLoaders } from '../geography/loaders.js';
import type { JobsLoaders } from '../jobs/loaders.js';
import { type Establishments, establishmentsOf, NO_ESTABLISHMENTS, rowsUnder, searchAround } from './establishments.js';
import type { Owner } from './owner.js';

/** What one request has read of the export, or of the searches that stand in for it. */
export interface EstablishmentLoaders {
  /** What work-study knows under the owner's SIRETs. */
  readonly establishments: Load<Owner, Establishments>;
  /** Whether the export is there for all of the SIRETs, so that nothing can be missing. Costs no search. */
  isComplete(sirets: readonly string[], operation: OperationContext): Promise<boolean>;
}

interface Sources {
  readonly directory: SiretDirectory;
  /** Job searches that the key of an operation has left. */
  readonly searchesLeft: (operation: OperationContext) => number;
  readonly geography: GeographyLoaders;
  readonly jobs: JobsLoaders;
  readonly origin: Origin;
}

/** Longest wait for an export that is nearly loaded; at most half of the request's remaining time. */
const MOST_WAIT_MS = 2000;

/** Loaders of establishments for one request: each SIRET is read from the export once. */
export function createEstablishmentLoaders(sources: Sources): EstablishmentLoaders {
  const { directory, geography, jobs, origin } = sources;
  const rows = createSingleLoader((siret: string) => directory.find(siret));
  const mayStandIn = createStandIns(sources);
  let nearlyLoaded: Promise<void> | null = null;

  /** The rows of all SIRETs, likely recruiters included; null while the export is not there. */
  async function exportRows(sirets: readonly string[], operation: OperationContext): Promise<unknown[] | null> {
    const { deadline, signal } = operation;
    nearlyLoaded ??= directory.nearlyLoaded(Math.min(MOST_WAIT_MS, deadline.remainingMs() / 2), signal);
    await nearlyLoaded;
    const found = await Promise.all(sirets.map((siret) => rows(siret, operation)));
    return found.includes(null) ? null : found.flatMap((of) => of ?? []);
  }

  async function load({ sirets, insee }: Owner, operation: OperationContext): Promise<Establishments> {
    if (sirets.length === 0) return NO_ESTABLISHMENTS;
    const known = await exportRows(sirets, operation);
    if (known !== null) return establishmentsOf(known, true, origin);
    const commune = insee === null || !mayStandIn(insee, operation) ? null : await geography.commune(insee, operation);
    const filter = searchAround(commune);
    const found = filter === null ? null : await jobs.search(filter, operation);
    return establishmentsOf(found === null ? [] : rowsUnder(sirets, found), false, origin);
  }

  return {
    establishments: createSingleLoader(load, ({ sirets, insee }) => JSON.stringify([insee, sirets])),
    isComplete: async (sirets, operation) => (await exportRows(sirets, operation)) !== null,
  };
}

/**
 * Whether one request may search around a commune in place of the export: around as many communes as half of the
 * searches that its key has left, so that neither it nor concurrent requests run into the service's limit.
 */
function createStandIns({ searchesLeft }: Sources): (insee: string, operation: OperationContext) => boolean {
  const communes = new Set<string>();
  let most: number | null = null;
  return (insee, operation) => {
    most ??= Math.floor(searchesLeft(operation) / 2);
    if (communes.size < most) communes.add(insee);
    return communes.has(insee);
  };
}
