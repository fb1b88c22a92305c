import { fileName, type RowFormat, writeRows } from '../../rows/formats.js';
import { download } from '../elements/download.js';
import type { ShownRows } from '../lists/shown-rows.js';
import type { FollowedPages, QueryResult } from '../responses/query-result.js';

/** Downloads the shown rows, in their order. If pages are missing, the file's name and its end say so. */
export function downloadRows({ pages }: QueryResult, shown: ShownRows, format: RowFormat): void {
  const note = pages === undefined || pages.end === 'all' ? null : describeIncomplete(pages);
  const name = fileName(shown.list.path, format, note === null);
  download(name, format.mediaType, writeRows(format, shown, shown.rows, note));
}

function describeIncomplete({ end, rows, message }: FollowedPages): string {
  const why = end === 'failed' ? (message ?? 'no response') : end === 'cap' ? 'row limit reached' : 'cancelled';
  return `incomplete: cut after ${rows} rows: ${why}`;
}
