import { isRecord } from '../../../kernel/text.js';
import { type Origin, orNull, rawOf } from '../../rest/shape.js';
import { circleAt } from '../geography/circle.js';
import type { CommuneView } from '../geography/shapes.js';
import { type JobSearchFilter, readSearchFilter, searchResultOf } from '../jobs/search.js';
import {
  JobOffer,
  type JobOfferView,
  type JobRecruiterView,
  type JobSearchView,
  Workplace,
  type WorkplaceView,
} from '../jobs/shapes.js';
import { readableItems } from '../values/calls.js';
import { isRecruiterRow } from '../values/words.js';

/** What work-study has under some SIRETs. */
export interface Establishments {
  /** Distinct workplaces of offers and likely recruiters. */
  readonly workplaces: WorkplaceView[];
  /** Offers, without likely recruiters. */
  readonly offers: readonly JobOfferView[];
  /** Whether nothing can be missing. */
  readonly complete: boolean;
}

/** The result without any SIRET: empty and complete. */
export const NO_ESTABLISHMENTS: Establishments = { workplaces: [], offers: [], complete: true };

/** Workplaces and offers in rows as the service wrote them. */
export function establishmentsOf(rows: readonly unknown[], complete: boolean, origin: Origin): Establishments {
  return {
    workplaces: workplacesOf(rows).map((workplace) => Workplace.view(workplace, origin)),
    offers: rows.filter((row) => !isRecruiterRow(row)).map((row) => JobOffer.view(row, origin)),
    complete,
  };
}

/**
 * Kilometres around the commune's centre. A search drops the farthest results first, so a larger circle would only add
 * results to drop.
 */
const SEARCH_RADIUS_KM = 10;

/** The search used while there is no export; null for a commune whose centre is unknown. */
export function searchAround(commune: CommuneView | null): JobSearchFilter | null {
  const around = circleAt(commune?.localisation?.centre ?? null, SEARCH_RADIUS_KM);
  return around === null ? null : readSearchFilter(() => around, {});
}

/** The rows of a search that have one of the SIRETs, as the service wrote them. */
export function rowsUnder(sirets: readonly string[], found: JobSearchView): unknown[] {
  const { jobs, recruiters } = searchResultOf(found, []);
  const rows: (JobOfferView | JobRecruiterView)[] = [...readableItems(jobs), ...readableItems(recruiters ?? [])];
  return rows.filter((row) => sirets.includes(orNull(() => row.workplace?.siret ?? null) ?? '')).map(rawOf);
}

/** The distinct `workplace` objects of some rows, in order of first appearance. */
function workplacesOf(rows: readonly unknown[]): unknown[] {
  const all = rows.map((row) => (isRecord(row) ? row['workplace'] : undefined)).filter(isRecord);
  if (all.length < 2) return all;
  const distinct = new Map<string, unknown>();
  for (const workplace of all) {
    const text = JSON.stringify(workplace);
    if (!distinct.has(text)) distinct.set(text, workplace);
  }
  return [...distinct.values()];
}
