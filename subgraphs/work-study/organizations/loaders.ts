import type { OperationContext } from '../../../kernel/operation.js';
import { allOf, ready } from '../../../kernel/ready.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Origin } from '../../rest/shape.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import type { GeographyLoaders } from '../geography/loaders.js';
import type { JobsLoaders } from '../jobs/loaders.js';
import type { Owner } from './owner.js';
import {
  type Establishments,
  establishmentsOf,
  NO_ESTABLISHMENTS,
  rowsUnder,
  searchAround,
} from './workplaces-of-sirets.js';

/** Establishments for one request, from the export or from the searches used instead. */
export interface EstablishmentLoaders {
  /** What work-study has under the owner's SIRETs. */
  readonly establishments: Load<Owner, Establishments>;
  /**
   * Whether nothing can be missing, as the export is loaded and all rows of the SIRETs can be read. Costs no search.
   */
  isComplete(sirets: readonly string[], operation: OperationContext): PromiseLike<boolean>;
}

interface Sources {
  readonly directory: SiretDirectory;
  /** Job searches left for the key of an operation. */
  readonly searchesLeft: (operation: OperationContext) => number;
  readonly geography: GeographyLoaders;
  readonly jobs: JobsLoaders;
  readonly origin: Origin;
}

/** Longest wait for an export that is nearly loaded; at most half of the request's remaining time. */
const MAX_WAIT_MS = 2000;

type ExportRows = readonly (readonly unknown[])[];

/** What was made from an owner's rows. */
interface Read {
  readonly rows: ExportRows;
  readonly establishments: Establishments;
  /** Bytes of heap that the rows take, which the export may have freed. */
  readonly bytes: number;
}

/** Valid for a cached owner as long as the export returns the same rows. */
const read = new WeakMap<Owner, Read>();

/** Parsed JSON takes about three times the bytes of its text. */
const HEAP_PER_CHARACTER = 3;

/** Of the rows of one SIRET, for which the export returns the same array again. */
const heapBytes = new WeakMap<readonly unknown[], number>();

function bytesOf(rows: readonly unknown[]): number {
  const bytes = heapBytes.get(rows) ?? HEAP_PER_CHARACTER * JSON.stringify(rows).length;
  heapBytes.set(rows, bytes);
  return bytes;
}

function keep(owner: Owner, made: Read): void {
  owner.account?.add(made.bytes - (read.get(owner)?.bytes ?? 0));
  read.set(owner, made);
}

function isSame(some: ExportRows, others: ExportRows): boolean {
  return some.every((rows, index) => rows === others[index]);
}

function allOrNone(found: readonly (readonly unknown[] | null)[]): ExportRows | null {
  return found.includes(null) ? null : (found as ExportRows);
}

/** A row that cannot be read is null: it may be another workplace or offer. */
function allReadable(found: ExportRows): boolean {
  return found.every((rows) => !rows.includes(null));
}

/** Loaders of establishments for one request. Each SIRET is read from the export once. */
export function createEstablishmentLoaders(sources: Sources): EstablishmentLoaders {
  const { directory, geography, jobs, origin } = sources;
  const rows = createSingleLoader((siret: string, { dryRun }) => directory.find(siret, dryRun !== true));
  const mayStandIn = createStandIns(sources);
  let nearlyLoaded: Promise<void> | null = null;

  /** The rows of each SIRET, including likely recruiters; null while there is no export. */
  function exportRows(sirets: readonly string[], operation: OperationContext): PromiseLike<ExportRows | null> {
    const part = directory.part();
    if (part !== null) operation.atHand?.recordUse(part);
    return ready(part === null ? wait(operation) : null).then(() => {
      const all = allOf(sirets.map((siret) => rows(siret, operation)));
      return all.then(allOrNone).then((known) => {
        // The export may be there a moment later, and the response then a different one.
        if (known === null) operation.recorder.forbidCaching();
        return known;
      });
    });
  }

  function wait({ deadline, signal, atHand, dryRun }: OperationContext): Promise<void> | null {
    atHand?.giveUp('waits');
    if (dryRun === true) return null;
    nearlyLoaded ??= directory.nearlyLoaded(Math.min(MAX_WAIT_MS, deadline.remainingMs() / 2), signal);
    return nearlyLoaded;
  }

  function load(owner: Owner, operation: OperationContext): PromiseLike<Establishments> {
    if (owner.sirets.length === 0) return ready(NO_ESTABLISHMENTS);
    return exportRows(owner.sirets, operation).then((known) => {
      if (known === null) return around(owner, operation);
      const last = read.get(owner);
      if (last !== undefined && isSame(last.rows, known)) return last.establishments;
      const complete = allReadable(known);
      if (!complete) origin.drift('JobOffer export[]', 'form');
      const readable = known.flat().filter((row) => row !== null);
      const establishments = establishmentsOf(readable, complete, { ...origin, account: owner.account });
      keep(owner, { rows: known, establishments, bytes: known.reduce((sum, rows) => sum + bytesOf(rows), 0) });
      return establishments;
    });
  }

  /** What a search around the owner's commune finds, in place of the export. */
  async function around({ sirets, insee: readInsee }: Owner, operation: OperationContext): Promise<Establishments> {
    const insee = readInsee();
    const commune = insee === null || !mayStandIn(insee, operation) ? null : await geography.commune(insee, operation);
    const filter = searchAround(commune);
    const found = filter === null ? null : await jobs.search(filter, operation);
    return establishmentsOf(found === null ? [] : rowsUnder(sirets, found), false, origin);
  }

  return {
    establishments: createSingleLoader(load, ({ key }) => key),
    isComplete: (sirets, operation) =>
      exportRows(sirets, operation).then((found) => found !== null && allReadable(found)),
  };
}

/**
 * Whether one request may search around a commune in place of the export. It may do so for as many communes as half of
 * the searches left for its key, so that neither it nor concurrent requests run into the service's limit.
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
