import { csvFile, FRENCH_CSV, PLAIN_CSV } from './csv.js';
import { geoJsonFile } from './geojson.js';
import type { FilePart, RowFile, RowHead, WritableRow } from './row-file.js';
import { xlsxFile } from './xlsx.js';

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
  begin(head: RowHead): RowFile;
}

/** All forms; of two with the same media type, `Accept` alone means the first. */
export const ROW_FORMATS: readonly RowFormat[] = [
  {
    name: 'csv',
    title: 'CSV',
    mediaType: 'text/csv',
    extension: 'csv',
    isPacked: false,
    begin: (head) => csvFile(head, PLAIN_CSV),
  },
  {
    name: 'csv-fr',
    title: 'CSV (Excel, French)',
    mediaType: 'text/csv',
    extension: 'csv',
    isPacked: false,
    begin: (head) => csvFile(head, FRENCH_CSV),
  },
  {
    name: 'xlsx',
    title: 'Excel',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    isPacked: true,
    begin: xlsxFile,
  },
  {
    name: 'geojson',
    title: 'GeoJSON',
    mediaType: 'application/geo+json',
    extension: 'geojson',
    isPacked: false,
    begin: geoJsonFile,
  },
];

/** All rows as one file, in parts; `note` says what it lacks. */
export function* writeRows(
  { begin }: RowFormat,
  head: RowHead,
  rows: Iterable<WritableRow>,
  note: string | null = null,
): Generator<FilePart> {
  const file = begin(head);
  yield* file.add(rows);
  yield* file.end(note);
}

/** A name for a file of this list, such as `missions.csv`, or `missions-incomplete.csv` for one that was cut. */
export function fileName(path: string, { extension }: Pick<RowFormat, 'extension'>, isComplete = true): string {
  const words = path.split(/[.[\]]+/).filter((word) => /^\w+$/.test(word) && word !== 'nodes' && word !== 'edges');
  return `${words.at(-1) ?? 'answer'}${isComplete ? '' : '-incomplete'}.${extension}`;
}
