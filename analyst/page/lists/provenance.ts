import type { Extent } from '../../../rows/extent.js';
import { type AboutLine, aboutLines } from '../../../rows/row-file.js';
import { language } from '../language/language.js';
import { textsNow } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { servicesOf } from '../responses/services-of.js';
import type { ShownRows } from './shown-rows.js';
import { EXTENT_TEXTS } from './texts.js';

/** Where the shown rows come from, line by line, for a file of them or of their counts. */
export function originOf(result: QueryResult, shown: ShownRows): AboutLine[] {
  const { request, response, trace } = result;
  return aboutLines({
    request,
    writtenAt: new Date(),
    path: shown.list.path,
    choice: shown.choice,
    services: servicesOf(result),
    calls: trace?.totals.callsMade ?? null,
    errors: response.errors?.length ?? 0,
    language: language.get(),
  });
}

/** Why the rows of a list are not all of it, or may not be; null if they are. */
export function whyPartial({ pages }: Pick<QueryResult, 'pages'>, path: string, extent: Extent): string | null {
  const texts = textsNow(EXTENT_TEXTS);
  if (pages === undefined || pages.end === 'all' || extent.kind !== 'page' || extent.list !== pages.list) {
    return texts.reason(extent, path);
  }
  return pages.end === 'failed' ? (pages.message ?? texts.failed) : texts[pages.end];
}
