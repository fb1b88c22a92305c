import type { LonLat } from './row.js';
import { createTextBuffer, type RowFile, type RowHead, type WritableRow } from './row-file.js';

/**
 * Writes rows as a GeoJSON FeatureCollection (RFC 7946): one feature per row, longitude first, cells as properties. A
 * row without a position on the globe has a null geometry. What the file lacks is in foreign members of the collection
 * (6.1).
 */
export function geoJsonFile(head: RowHead): RowFile {
  const buffer = createTextBuffer();
  let isFirst = true;
  buffer.write('{"type":"FeatureCollection","features":[');
  return {
    size: buffer.size,
    *add(rows) {
      for (const row of rows) {
        buffer.write(`${isFirst ? '' : ','}\n${JSON.stringify(featureOf(row, head))}`);
        isFirst = false;
        yield* buffer.take();
      }
    },
    *end({ note = null, omitted = null }) {
      buffer.write(`\n]${memberOf('incomplete', note)}${memberOf('omittedLists', omitted)}}\n`);
      yield* buffer.take(true);
    },
  };
}

function memberOf(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${JSON.stringify(text)}`;
}

function featureOf(row: WritableRow, { columns, positions: [position] }: RowHead): object {
  const at = position === undefined ? null : row.at(position);
  const geometry = at === null || !isOnGlobe(at) ? null : { type: 'Point', coordinates: at };
  const cells = row.cells();
  const properties = Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]));
  return { type: 'Feature', geometry, properties };
}

/** Whether a position exists in WGS 84 (RFC 7946, 4): programs refuse a file with one that does not. */
function isOnGlobe([longitude, latitude]: LonLat): boolean {
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
}
