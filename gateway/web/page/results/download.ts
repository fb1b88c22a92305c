import { aboutLines } from '../../rows/about-lines.js';
import { fileName, type RowFormat, writeRows } from '../../rows/formats.js';
import { lackOf } from '../../rows/lacks.js';
import type { AboutLine } from '../../rows/row-file.js';
import { download } from '../elements/download.js';
import { language } from '../language/language.js';
import { textsNow } from '../language/texts.js';
import type { ShownRows } from '../lists/shown-rows.js';
import type { QueryResult } from '../responses/query-result.js';
import { servicesOf } from '../responses/services-of.js';
import { describeOmitted, hasFurtherPages } from './data-link.js';
import { LINK_TEXTS } from './link-texts.js';

/** Downloads the shown rows, in their order. If pages are missing, the file's name and its end say so. */
export function downloadRows(result: QueryResult, shown: ShownRows, format: RowFormat): void {
  const incomplete = describeIncomplete(result, shown);
  const name = fileName(shown.list.path, format, incomplete === null);
  const head = { columns: shown.columns, positions: shown.positions, language: language.get() };
  download(
    name,
    format.mediaType,
    writeRows(format, head, shown.rows, {
      note: incomplete,
      omitted: describeOmitted(shown),
      about: about(result, shown),
    }),
  );
}

function about(result: QueryResult, shown: ShownRows): AboutLine[] {
  const { request, response, trace, pages } = result;
  return aboutLines({
    request,
    writtenAt: new Date(),
    path: shown.list.path,
    choice: shown.choice,
    services: servicesOf(result),
    calls: trace?.totals.callsMade ?? null,
    errors: response.errors?.length ?? 0,
    isOnePage: pages === undefined && hasFurtherPages(response.data, shown.list.path),
    language: language.get(),
  });
}

/** What the file lacks; null if nothing, or if only further pages were not requested. */
function describeIncomplete(result: QueryResult, { list, rows }: ShownRows): string | null {
  const { incomplete } = textsNow(LINK_TEXTS);
  const why = whyIncomplete(result, list.path);
  return why === null ? null : incomplete.after(list.rows.length, rows.length, why);
}

function whyIncomplete({ response, pages }: QueryResult, path: string): string | null {
  const { incomplete } = textsNow(LINK_TEXTS);
  if (pages === undefined || pages.end === 'all') {
    const lack = lackOf(response.data, path);
    return lack !== null && !hasFurtherPages(response.data, path) ? incomplete[lack] : null;
  }
  const { end, message } = pages;
  return end === 'failed' ? (message ?? incomplete.failed) : end === 'cap' ? incomplete.cap : incomplete.cancelled;
}
