import { type Awaitable, allThere, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createBatchLoader, createSingleLoader, type Load } from '../../graph/loader.js';
import type { Origin } from '../../rest/shape.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import type { GeographyLoaders } from '../geography/client.js';
import type { JobsLoaders } from '../jobs/client.js';
import { type Establishments, establishmentsOf, NO_ESTABLISHMENTS, rowsUnder, searchAround } from './establishments.js';
import type { Owner } from './owner.js';

/** What establishments are loaded from. */
interface Sources {
  readonly directory: SiretDirectory;
  readonly geography: GeographyLoaders;
  readonly jobs: JobsLoaders;
  /** Job searches left for the key of an operation. */
  readonly searchesLeft: (operation: OperationContext) => number;
  readonly origin: Origin;
}

/**
 * Establishments for one request. They are read from the daily export, because the service's search has no filter by
 * SIRET. While there is no export, a search around the owner's commune takes its place; it may miss some.
 */
export class EstablishmentLoaders {
  /** What work-study has under the owner's SIRETs. */
  readonly establishments: Load<Owner, Establishments>;
  /** Rows by SIRET; null while there is no export. Each is read once, those of a page in one pass. */
  readonly #rows: Load<string, readonly unknown[] | null>;
  readonly #sources: Sources;
  /** Communes that were searched around, and how many this request may search around. */
  readonly #searched = new Set<string>();
  #maxSearched: number | null = null;

  constructor(sources: Sources) {
    const { directory } = sources;
    this.#sources = sources;
    this.#rows = createBatchLoader<readonly unknown[] | null>({
      load: (sirets, operation) => directory.findAll(sirets, operation),
      maximum: 50,
    });
    this.establishments = createSingleLoader(
      (owner, operation) => this.#load(owner, operation),
      ({ key }) => key,
    );
  }

  /**
   * Whether nothing can be missing, as the export is loaded and all rows of the SIRETs can be read. Costs no search.
   */
  isComplete(sirets: readonly string[], operation: OperationContext): Awaitable<boolean> {
    return whenThere(this.#readExport(sirets, operation), (rows) => rows !== null && areReadable(rows));
  }

  #load(owner: Owner, operation: OperationContext): Awaitable<Establishments> {
    if (owner.sirets.length === 0) return NO_ESTABLISHMENTS;
    return whenThere(this.#readExport(owner.sirets, operation), (rows) =>
      rows === null ? this.#search(owner, operation) : this.#inExport(rows),
    );
  }

  #inExport(rows: ExportRows): Establishments {
    const { origin } = this.#sources;
    const complete = areReadable(rows);
    if (!complete) origin.drift('JobOffer export[]', 'form');
    const readable = rows.flat().filter((row) => row !== null);
    return establishmentsOf(readable, complete, origin);
  }

  /** The rows of each SIRET, including likely recruiters; null while there is no export. */
  #readExport(sirets: readonly string[], operation: OperationContext): Awaitable<ExportRows | null> {
    return whenThere(allThere(sirets.map((siret) => this.#rows(siret, operation))), (found) => {
      const asOf = this.#sources.directory.lastUpdate();
      if (asOf !== null && sirets.length > 0) operation.recorder.readStored({ service: 'work-study', asOf });
      if (!found.includes(null)) return found as ExportRows;
      // The export may be there a moment later, and the response then a different one.
      operation.recorder.forbidCaching();
      return null;
    });
  }

  /** What a search around the owner's commune finds, in place of the export. */
  async #search({ sirets, insee: readInsee }: Owner, operation: OperationContext): Promise<Establishments> {
    const { geography, jobs, origin } = this.#sources;
    const insee = readInsee();
    const commune =
      insee !== null && this.#maySearch(insee, operation) ? await geography.commune(insee, operation) : null;
    const filter = searchAround(commune);
    const found = filter === null ? null : await jobs.search(filter, operation);
    // The search may have missed some.
    return establishmentsOf(found === null ? [] : rowsUnder(sirets, found), false, origin);
  }

  /**
   * Whether this request may search around a commune. It may do so for as many communes as half of the searches left
   * for its key, so that neither it nor concurrent requests run into the service's limit.
   */
  #maySearch(insee: string, operation: OperationContext): boolean {
    this.#maxSearched ??= Math.floor(this.#sources.searchesLeft(operation) / 2);
    if (this.#searched.size < this.#maxSearched) this.#searched.add(insee);
    return this.#searched.has(insee);
  }
}

/** The rows of some SIRETs in the export: a list for each, in which null stands for a row that cannot be read. */
type ExportRows = readonly (readonly unknown[])[];

/** Whether all rows can be read. One that cannot may be another workplace or offer. */
function areReadable(rows: ExportRows): boolean {
  return rows.every((some) => !some.includes(null));
}
