import { fileName, type RowFormat, writeRows } from '../../rows/formats.js';
import type { Table } from '../../rows/table.js';
import type { Asked, FollowedPages } from '../answers/asked.js';
import { type Sorting, sortRows } from '../answers/sort-rows.js';

/** Hands a file to the browser's downloads. */
export function download(name: string, mediaType: string, parts: Iterable<string | Uint8Array>): void {
  const blob = new Blob([...parts] as BlobPart[], { type: mediaType });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

export interface RowDownload {
  readonly asked: Asked;
  readonly table: Table;
  readonly format: RowFormat;
  readonly sorting: Sorting | null;
}

/** Hands the rows of a table over as a file, in the table's order; one that lacks pages says so in name and end. */
export function downloadRows({ asked: { pages }, table, format, sorting }: RowDownload): void {
  const note = pages === undefined || pages.end === 'all' ? null : sayIncomplete(pages);
  const rows = sortRows([...table.rows()], sorting, (row) => row.cells());
  download(fileName(table.path, format, note === null), format.mediaType, writeRows(format, table, rows, note));
}

function sayIncomplete({ end, rows, message }: FollowedPages): string {
  const why = end === 'failed' ? (message ?? 'no response') : end === 'cap' ? 'row limit reached' : 'cancelled';
  return `incomplete: cut after ${rows} rows: ${why}`;
}
