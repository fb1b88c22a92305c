import { csvFile, FRENCH_CSV, PLAIN_CSV } from './csv.js';
import { geoJsonFile } from './geojson.js';
import type { FileEnd, FilePart, RowFile, RowHead, WritableRow } from './row-file.js';
import { xlsxFile } from './xlsx.js';

/** A file format for rows. */
export interface RowFormat {
  /** Its name in a URL, such as `format=csv-fr`. */
  readonly name: string;
  /** Its name for users. */
  readonly title: Readonly<Record<'en' | 'fr', string>>;
  readonly mediaType: string;
  readonly extension: string;
  /** Whether the format is compressed, so that the response is not compressed again. */
  readonly isCompressed: boolean;
  createFile(head: RowHead): RowFile;
}

/** All formats. Of two with the same media type, `Accept` selects the first. */
export const ROW_FORMATS: readonly RowFormat[] = [
  {
    name: 'csv',
    title: { en: 'CSV', fr: 'CSV' },
    mediaType: 'text/csv',
    extension: 'csv',
    isCompressed: false,
    createFile: (head) => csvFile(head, PLAIN_CSV),
  },
  {
    name: 'csv-fr',
    title: { en: 'CSV (Excel, French)', fr: 'CSV (Excel français)' },
    mediaType: 'text/csv',
    extension: 'csv',
    isCompressed: false,
    createFile: (head) => csvFile(head, FRENCH_CSV),
  },
  {
    name: 'xlsx',
    title: { en: 'Excel', fr: 'Excel' },
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    isCompressed: true,
    createFile: xlsxFile,
  },
  {
    name: 'geojson',
    title: { en: 'GeoJSON', fr: 'GeoJSON' },
    mediaType: 'application/geo+json',
    extension: 'geojson',
    isCompressed: false,
    createFile: geoJsonFile,
  },
];

/** Writes all rows as one file, in parts. */
export function* writeRows(
  { createFile }: RowFormat,
  head: RowHead,
  rows: Iterable<WritableRow>,
  end: FileEnd = {},
): Generator<FilePart> {
  const file = createFile(head);
  yield* file.add(rows);
  yield* file.end(end);
}

/** Characters of a list's name in a file name, which file systems limit to 255 bytes. */
const NAME_LENGTH = 100;

/** The file name of a list, such as `missions.csv`, or `missions-incomplete.csv` for an incomplete file. */
export function fileName(path: string, { extension }: Pick<RowFormat, 'extension'>, isComplete = true): string {
  const words = path.split(/[.[\]]+/).filter((word) => /^\w+$/.test(word) && word !== 'nodes' && word !== 'edges');
  return `${words.at(-1)?.slice(0, NAME_LENGTH) ?? 'response'}${isComplete ? '' : '-incomplete'}.${extension}`;
}
