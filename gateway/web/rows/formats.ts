import { FRENCH_CSV, PLAIN_CSV, writeCsv } from './csv.js';
import { writeGeoJson } from './geojson.js';
import type { Table } from './table.js';
import { writeXlsx } from './xlsx.js';

/** A form in which rows leave. */
export interface RowFormat {
  /** What it is called in an address: `format=csv-fr`. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly mediaType: string;
  readonly extension: string;
  /** Whether a program already packed it, so that the wire need not. */
  readonly isPacked: boolean;
  write(table: Table): Iterable<string | Uint8Array>;
}

/** All forms; of two with the same media type the first is what `Accept` alone means. */
export const ROW_FORMATS: readonly RowFormat[] = [
  {
    name: 'csv',
    title: 'CSV',
    mediaType: 'text/csv',
    extension: 'csv',
    isPacked: false,
    write: (table) => writeCsv(table, PLAIN_CSV),
  },
  {
    name: 'csv-fr',
    title: 'CSV (Excel, French)',
    mediaType: 'text/csv',
    extension: 'csv',
    isPacked: false,
    write: (table) => writeCsv(table, FRENCH_CSV),
  },
  {
    name: 'xlsx',
    title: 'Excel',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    isPacked: true,
    write: writeXlsx,
  },
  {
    name: 'geojson',
    title: 'GeoJSON',
    mediaType: 'application/geo+json',
    extension: 'geojson',
    isPacked: false,
    write: (table) => writeGeoJson(table),
  },
];

/** A name for a file of this list, such as `missions.csv`. */
export function fileName(path: string, { extension }: Pick<RowFormat, 'extension'>): string {
  const words = path.split(/[.[\]]+/).filter((word) => /^\w+$/.test(word) && word !== 'nodes' && word !== 'edges');
  return `${words.at(-1) ?? 'answer'}.${extension}`;
}
