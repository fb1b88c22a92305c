import { isView } from '../lists/paging.js';
import type { MissionSearch } from './client.js';
import type { FacetsView } from './shapes.js';

/** The counts that the source sent with a page, and the number of missions they cover. */
export type CountedFacets = FacetsView & { readonly counted: number };

/** The source's counts of a page; null when it sent none. A malformed count is the error of `counted` too. */
export function facetsOf({ facets, rows, total }: MissionSearch): CountedFacets | null {
  const view = facets();
  if (view === null) return null;
  return Object.create(view, {
    counted: {
      get: () => (countsMoreThan(rows.length, view) && typeof total === 'number' ? total : rows.length),
    },
  });
}

/**
 * Today's service counts the page, the documented one all matches (volunteering 3.6). A mission has one domain and one
 * first département, so that those of a page never add up to more than its missions.
 */
function countsMoreThan(missions: number, { domains, departmentName }: FacetsView): boolean {
  return [domains, departmentName].some((entries) => {
    const counts = (entries ?? []).map((entry) => (isView(entry) ? (entry.docCount ?? 0) : 0));
    return counts.reduce((sum, count) => sum + count, 0) > missions;
  });
}
