import { positionOf } from '../geography/geojson.js';
import type { CommuneView } from '../geography/shapes.js';
import { type JobSearchFilter, readJobSearch } from '../jobs/search-filter.js';
import { isRecruiter } from '../jobs/search-result.js';
import type { JobOfferView, JobRecruiterView, JobSearchView, WorkplaceView } from '../jobs/shapes.js';
import { readable } from '../parse-list.js';

/** What work-study knows under some SIRETs. */
export interface Establishments {
  /** Distinct workplaces of offers and likely recruiters. */
  readonly workplaces: readonly WorkplaceView[];
  /** Offers; likely recruiters are none. */
  readonly offers: readonly JobOfferView[];
  /** Whether nothing can be missing. */
  readonly complete: boolean;
}

/** What is known where there is no SIRET: nothing, for certain. */
export const NO_ESTABLISHMENTS: Establishments = { workplaces: [], offers: [], complete: true };

/** Workplaces and offers of rows of the export, where likely recruiters stand among the offers (work-study 7.6). */
export function establishmentsOf(rows: readonly JobOfferView[], complete: boolean): Establishments {
  return {
    workplaces: distinctWorkplaces(rows),
    offers: rows.filter((row) => !isRecruiter(row)),
    complete,
  };
}

/**
 * Kilometres around the commune's centre. Within a search the nearest come first, so that more would only bring in what
 * is cut off first.
 */
const SEARCH_RADIUS_KM = 10;

/** The stopgap while the export is not there: what a search around a commune finds under the SIRETs. */
export async function searchAround(
  commune: CommuneView | null,
  sirets: readonly string[],
  search: (filter: JobSearchFilter) => Promise<JobSearchView | null>,
): Promise<Establishments> {
  const centre = positionOf(commune?.localisation?.centre ?? null);
  if (centre === null) return { ...NO_ESTABLISHMENTS, complete: false };
  const found = await search(readJobSearch({ ...centre, radius: SEARCH_RADIUS_KM }, {}));
  const offers = readable(found?.jobs ?? []).filter((offer) => isOf(offer, sirets));
  const recruiters = readable(found?.recruiters ?? []).filter((recruiter) => isOf(recruiter, sirets));
  return { ...establishmentsOf(offers, false), workplaces: distinctWorkplaces([...offers, ...recruiters]) };
}

type HasWorkplace = JobOfferView | JobRecruiterView;

function isOf(row: HasWorkplace, sirets: readonly string[]): boolean {
  const siret = workplaceOf(row)?.siret;
  return typeof siret === 'string' && sirets.includes(siret);
}

function distinctWorkplaces(rows: readonly HasWorkplace[]): WorkplaceView[] {
  const byText = new Map<string, WorkplaceView>();
  for (const row of rows) {
    const workplace = workplaceOf(row);
    const text = JSON.stringify(workplace);
    if (workplace !== null && !byText.has(text)) byText.set(text, workplace);
  }
  return [...byText.values()];
}

/** The workplace of a row, null where it cannot be read: such a row is left out here and told where it is listed. */
function workplaceOf(row: HasWorkplace): WorkplaceView | null {
  try {
    return row.workplace;
  } catch {
    return null;
  }
}
