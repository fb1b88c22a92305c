import { describeExtent, type Extent, extentOf } from '../../rows/extent.js';
import { lackOf } from '../../rows/lacks.js';
import type { ListLimit } from '../../rows/list-limits.js';
import type { PageResponse } from './follow-pages.js';

/** Why a file of one response does not have the whole list, or may not; null if it has, or if only errors left gaps. */
export function furtherRows(
  response: Pick<PageResponse, 'data' | 'errors' | 'errorCount'>,
  path: string,
  limits: readonly ListLimit[],
): string | null {
  const extent = extentOf(response, path, limits);
  if (extent.kind === 'failed') return null;
  const all = lackOf(response.data, path) === null ? 'all' : 'more, as far as its source gives them';
  return noteOf(extent, path, { page: `; pages=all gives ${all}`, innerPages: LARGER });
}

/** Why the rows of a page that is followed by all others are not whole, or may not be; null if they are. */
export function furtherInnerRows(
  data: PageResponse['data'],
  path: string,
  { limits, pageNumber }: { readonly limits: readonly ListLimit[]; readonly pageNumber: number },
): string | null {
  // The first list is the one whose pages are followed.
  const extent = extentOf({ data, errors: [] }, path, limits.slice(1));
  return noteOf(extent, path, { innerPages: ` on page ${pageNumber}${LARGER}` });
}

const LARGER = '; a larger first gives more';

function noteOf(extent: Extent, path: string, advice: Partial<Record<Extent['kind'], string>>): string | null {
  const note = describeExtent(extent, path, 'en');
  return note === null ? null : `${note}${advice[extent.kind] ?? ''}`;
}
