import { fileName, type RowFormat, writeRows } from '../../rows/formats.js';
import type { Table } from '../../rows/table.js';
import type { FollowedPages, QueryResult } from '../responses/query-result.js';
import { type Sorting, sortRows } from '../responses/sort-rows.js';

/** Downloads a file in the browser. */
export function download(name: string, mediaType: string, parts: Iterable<string | Uint8Array>): void {
  const blob = new Blob([...parts] as BlobPart[], { type: mediaType });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** The rows to download. */
export interface RowDownload {
  readonly result: QueryResult;
  readonly table: Table;
  readonly format: RowFormat;
  readonly sorting: Sorting | null;
}

/** Downloads the rows of a table, in its order. If pages are missing, the file's name and its end say so. */
export function downloadRows({ result: { pages }, table, format, sorting }: RowDownload): void {
  const note = pages === undefined || pages.end === 'all' ? null : describeIncomplete(pages);
  const rows = sortRows([...table.rows()], sorting, (row) => row.cells());
  download(fileName(table.path, format, note === null), format.mediaType, writeRows(format, table, rows, note));
}

function describeIncomplete({ end, rows, message }: FollowedPages): string {
  const why = end === 'failed' ? (message ?? 'no response') : end === 'cap' ? 'row limit reached' : 'cancelled';
  return `incomplete: cut after ${rows} rows: ${why}`;
}
