import { orNull } from '../../rest/shape.js';
import { isView } from '../values/lists.js';
import type { MissionSearch } from './client.js';
import type { FacetsView } from './shapes.js';

/** The counts that the source sent with a page, and the number of missions they cover. */
export type CountedFacets = FacetsView & { readonly counted: number };

/** The counts of a page without missions. */
const NONE: CountedFacets = { counted: 0, departmentName: [], activities: [], domains: [] };

/**
 * The source's counts for a page of this size; null when it sent none. A malformed count is an error of `counted` too.
 */
export function facetsOf({ facets, rows, total }: MissionSearch, size: number): CountedFacets | null {
  const view = facets();
  if (view === null) return null;
  // For a page of size 0 one row was requested: counts of that row alone are not the page's.
  if (size === 0 && orNull(() => countsMoreThan(rows.length, view)) === false) return NONE;
  return Object.create(view, {
    counted: {
      get: () => (countsMoreThan(rows.length, view) && typeof total === 'number' ? total : rows.length),
    },
  });
}

/**
 * Today's service counts the page, the documented one all matches (volunteering 3.6). A mission has one domain and one
 * first département, so the counts of a page never add up to more than its missions.
 */
function countsMoreThan(missions: number, { domains, departmentName }: FacetsView): boolean {
  return [domains, departmentName].some((entries) => {
    const counts = (entries ?? []).map((entry) => (isView(entry) ? (entry.docCount ?? 0) : 0));
    return counts.reduce((sum, count) => sum + count, 0) > missions;
  });
}
