import { type Awaitable, allThere, whenThere } from '../../../kernel/awaitable.js';
import { oncePerObject } from '../../../kernel/caches.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isRecord } from '../../../kernel/text.js';
import { isSiret } from '../../codes/registers.js';
import { createBatchLoader, createSingleLoader } from '../../graph/loader.js';
import { orNull, rawOf, type Sender } from '../../rest/shape.js';
import { matchOrganizationCommune, type OrganizationSeat } from '../communes/match-commune.js';
import type { SiretDirectory } from '../export/siret-directory.js';
import { circleAt } from '../geography/circle.js';
import type { GeographyLoaders } from '../geography/client.js';
import type { JobsLoaders } from '../jobs/client.js';
import { readSearchFilter, searchResultOf } from '../jobs/search.js';
import { JobOffer, Workplace } from '../jobs/shapes.js';
import { readableItems } from '../values/calls.js';
import { isRecruiterRow } from '../values/words.js';

/** What work-study has under some SIRETs: distinct workplaces of offers and likely recruiters, and the offers. */
type Establishments = ReturnType<typeof establishmentsOf>;

/** What establishments are loaded from. */
interface Sources {
  readonly directory: SiretDirectory;
  readonly geography: GeographyLoaders;
  readonly jobs: JobsLoaders;
  /** Job searches left for the key of an operation. */
  readonly searchesLeft: (operation: OperationContext) => number;
  readonly sender: Sender;
}

/**
 * Kilometres around the commune's centre. A search drops the farthest results first, so a larger circle would only add
 * results to drop.
 */
const SEARCH_RADIUS_KM = 10;

/**
 * Establishments for one request. They are read from the daily export, because the service's search has no filter by
 * SIRET. While there is no export, a search around the unit's commune takes its place; it may miss some.
 */
export function createEstablishmentLoaders(sources: Sources) {
  const { directory, sender } = sources;
  const search = searchInPlace(sources);
  const readTogether = createBatchLoader<readonly unknown[] | null>({
    load: (sirets, operation) => directory.findAll(sirets, operation),
    maximum: 50,
  });
  /** Rows by SIRET; null while there is no export. Each is read, and counted, once; those of a page in one pass. */
  const rowsOf = createSingleLoader(
    (siret: string, operation) => directory.recent(siret, operation) ?? readTogether(siret, operation),
  );

  /** The rows of the SIRETs, null for one that cannot be read, including likely recruiters; null while there is no export. */
  const readExport = (sirets: readonly string[], operation: OperationContext): Awaitable<readonly unknown[] | null> =>
    whenThere(allThere(sirets.map((siret) => rowsOf(siret, operation))), (found) => {
      const asOf = directory.lastUpdate();
      if (asOf !== null && sirets.length > 0) operation.recorder.readStored({ service: 'work-study', asOf });
      if (!found.includes(null)) return found.length === 1 ? (found[0] ?? null) : found.flat();
      // The export may be there a moment later, and the response then a different one.
      operation.recorder.forbidCaching();
      return null;
    });

  function establishmentsIn(rows: readonly unknown[]): Establishments {
    // A row that cannot be read may be another workplace or offer.
    const complete = !rows.includes(null);
    if (!complete) sender.drift('JobOffer export[]', 'form');
    const made = known.get(rows) ?? establishmentsOf(rows, complete, sender);
    known.set(rows, made);
    return made;
  }

  return {
    /** What work-study has under the SIRETs of a unit. */
    establishments: createSingleLoader(
      (unit: LegalUnit, operation) =>
        whenThere(readExport(unit.sirets, operation), (rows) =>
          rows === null ? search(unit, operation) : establishmentsIn(rows),
        ),
      ({ key }) => key,
    ),
    /** Whether nothing can be missing, as the export is loaded and all rows of the SIRETs can be read. Costs no search. */
    isComplete: (sirets: readonly string[], operation: OperationContext) =>
      whenThere(readExport(sirets, operation), (rows) => rows?.includes(null) === false),
  };
}

/**
 * What a search around the unit's commune finds under the SIRETs, in place of the export. A request may search around as
 * many communes as half of the searches left for its key, so that neither it nor concurrent requests run into the
 * service's limit.
 */
function searchInPlace({ geography, jobs, searchesLeft, sender }: Sources) {
  const searched = new Set<string>();
  let most: number | null = null;

  function maySearch(insee: string, operation: OperationContext): boolean {
    most ??= Math.floor(searchesLeft(operation) / 2);
    if (searched.size < most) searched.add(insee);
    return searched.has(insee);
  }

  return async ({ sirets, insee: readInsee }: LegalUnit, operation: OperationContext): Promise<Establishments> => {
    const insee = readInsee();
    const commune = insee !== null && maySearch(insee, operation) ? await geography.commune(insee, operation) : null;
    const around = circleAt(commune?.localisation?.centre ?? null, SEARCH_RADIUS_KM);
    const filter = around && readSearchFilter(() => around, {});
    const found = filter && (await jobs.search(filter, operation));
    if (found === null) return establishmentsOf([], false, sender);
    const result = searchResultOf(found, []);
    const rows = [...readableItems(result.jobs), ...readableItems(result.recruiters ?? [])];
    const under = rows.filter((row) => sirets.includes(orNull(() => row.workplace?.siret ?? null) ?? ''));
    return establishmentsOf(under.map(rawOf), false, sender);
  };
}

/** What was made of the rows of one SIRET, which are the same objects in later requests. */
const known = new WeakMap<readonly unknown[], Establishments>();

/** Workplaces, in order of first appearance, and offers in rows as the service wrote them; `complete` if none is missing. */
function establishmentsOf(rows: readonly unknown[], complete: boolean, sender: Sender) {
  const workplaces = rows.map((row) => (isRecord(row) ? row['workplace'] : undefined)).filter(isRecord);
  const distinct = new Map(workplaces.map((workplace) => [JSON.stringify(workplace), workplace]));
  return {
    workplaces: [...distinct.values()].map((workplace) => Workplace.view(workplace, sender)),
    offers: rows.filter((row) => row !== null && !isRecruiterRow(row)).map((row) => JobOffer.view(row, sender)),
    complete,
  };
}

/** An organization's representation: its key, and its seat and SIRETs when a join needs them. */
export interface OrganizationReference extends OrganizationSeat {
  readonly id: string;
  readonly siret?: string | null;
  readonly sirets?: readonly (string | null)[] | null;
}

/** A company of the waste platform, by its SIRET. */
export interface CompanyReference {
  readonly siret?: string | null;
}

/** Who has establishments, in the words of the register: an association or a company. */
export interface LegalUnit {
  readonly sirets: readonly string[];
  /** Equal for units with equal establishments, whether the export is there or not. */
  readonly key: string;
  /** INSEE code of the commune to search around while there is no export; null when unknown. */
  insee(): string | null;
}

/** The SIRETs of an organization and the location of its seat, computed once for a cached organization. */
export const unitOfOrganization = oncePerObject((organization: OrganizationReference): LegalUnit => {
  const { siret, sirets: further, addressInseeCode, addressPostalCode, addressCity } = organization;
  const sirets = siretsOf(siret, ...(further ?? []));
  return {
    sirets,
    key: JSON.stringify([addressInseeCode, addressPostalCode, addressCity, sirets]),
    insee: () => matchOrganizationCommune(organization),
  };
});

/** A company comes without an address, so there is no commune to search around. */
export function unitOfCompany({ siret }: CompanyReference): LegalUnit {
  const sirets = siretsOf(siret);
  return { sirets, key: JSON.stringify(sirets), insee: () => null };
}

/** The distinct SIRETs. A malformed one from another source joins to nothing, without an error. */
function siretsOf(...sirets: readonly (string | null | undefined)[]): string[] {
  return [...new Set(sirets)].filter((siret): siret is string => typeof siret === 'string' && isSiret(siret));
}
