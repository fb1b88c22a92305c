import type { Cell } from './columns.js';
import type { Position, Table } from './table.js';

const PART = 64 * 1024;

/**
 * A table as a GeoJSON FeatureCollection (RFC 7946), in parts: a feature a row, longitude first, the cells as
 * properties. A row without a position keeps its properties and has a null geometry.
 */
export function* writeGeoJson(table: Table, position = table.positions[0]): Generator<string> {
  let part = '{"type":"FeatureCollection","features":[';
  let isFirst = true;
  for (const row of table.rows()) {
    const at = position === undefined ? null : row.at(position);
    const geometry = at === null ? null : { type: 'Point', coordinates: at };
    const properties = Object.fromEntries(named(table, row.cells()));
    part += `${isFirst ? '' : ','}\n${JSON.stringify({ type: 'Feature', geometry, properties })}`;
    isFirst = false;
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  yield `${part}\n]}\n`;
}

/** The position of a table with this name; undefined when none has it. */
export function positionNamed(table: Table, name: string): Position | undefined {
  return table.positions.find((position) => position.name === name);
}

function named({ columns }: Table, cells: readonly Cell[]): [string, Cell][] {
  return columns.map(({ name }, index) => [name, cells[index] ?? null]);
}
