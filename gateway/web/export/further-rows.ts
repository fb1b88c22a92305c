import { LACKS, lackOf } from '../rows/lacks.js';
import { goesOn, innerPages, pageAt } from '../rows/page-query.js';
import type { JsonObject } from '../rows/path.js';

/** What a list lacks; null if nothing. */
export function lackIn(data: JsonObject, path: string): string | null {
  const lack = lackOf(data, path);
  return lack === null ? null : LACKS[lack];
}

/** A note that a list, or one that it is part of, has more rows than the response; null if not, or if unknown. */
export function furtherRows(data: JsonObject, path: string): string | null {
  const found = pageAt(data, path);
  if (found === null || !goesOn(found.page)) return furtherInnerRows(data, path);
  const { page, list } = found;
  const all = lackIn(data, path) !== null ? 'more, as far as its source gives them' : 'all';
  const outer = list === path ? '' : ` of ${list.replaceAll('[]', '')}`;
  return `one page of ${page.rows.length} rows${page.totalCount === null ? '' : ` of ${page.totalCount}`}${outer}; pages=all gives ${all}`;
}

/** A note on pages below another list, which no query follows; null as above. `pageNumber`: of several pages. */
export function furtherInnerRows(data: JsonObject, path: string, pageNumber: number | null = null): string | null {
  for (const [list, pages] of innerPages(data, path)) {
    const open = pages.filter(goesOn).length;
    if (open === 0) continue;
    const where = pageNumber === null ? '' : ` on page ${pageNumber}`;
    return `one page of each ${list.replaceAll('[]', '')}: ${open} of ${pages.length}${where} have more rows; a larger first gives more`;
  }
  return null;
}
