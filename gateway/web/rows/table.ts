import {
  type Cell,
  cellOf,
  columnsOf,
  emptyShape,
  mergeShape,
  type ObjectColumn,
  type ObjectPosition,
  positionsOf,
  type Shape,
  valueAt,
} from './columns.js';
import { isList, isObject, type Json, type JsonObject, readPath, type Step } from './path.js';

export interface Column {
  /** Such as `title`, `organization.title`, or with the parent's label `communes/nom`. */
  readonly name: string;
  /** Whether it repeats a value of a parent, so that each row stands alone. */
  readonly isInherited: boolean;
}

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** A place where rows have a position. */
export interface Position {
  readonly name: string;
  readonly isInherited: boolean;
}

/** One row: its cells in the order of the columns. Reading it does no more work than is asked for. */
export interface Row {
  cells(): Cell[];
  /** Where the row is; null when it has no position there, or (0, 0), which sources write for "unknown". */
  at(position: Position): LonLat | null;
}

/** A list of an answer as a table. */
export interface Table {
  readonly path: string;
  readonly columns: readonly Column[];
  /** Own positions first, then those of the nearest parent. */
  readonly positions: readonly Position[];
  /** Walks the answer anew each time; nothing is kept. */
  rows(): Iterable<Row>;
}

/**
 * The rows of one list, of all its parents together, with the parents' own values in front. The answer is walked
 * once for the columns, which are the union of all rows in first-seen order; `rows()` walks it again.
 */
export function readTable(data: JsonObject, path: string): Table {
  const steps = readPath(path);
  const levels = levelsOf(steps);
  const shapes = levels.map(emptyShape);
  for (const chain of walk(data, steps, 0, [])) {
    chain.forEach((object, level) => {
      const shape = shapes[level];
      if (shape !== undefined && isObject(object)) mergeShape(shape, object, levels[level]?.leaveOut);
    });
  }
  const labels = labelsOf(levels);
  const columns = shapes.flatMap((shape, level) => columnsOfLevel(shape, level, labels[level]));
  const positions = shapes.flatMap((shape, level) => positionsOfLevel(shape, level, labels[level]));
  return {
    path,
    columns,
    positions: sortedByLevel(positions),
    *rows() {
      for (const chain of walk(data, steps, 0, [])) yield rowOf(chain, columns);
    },
  };
}

/** An object on the way to the rows whose values each row repeats; the last level is the row itself. */
interface Level {
  /** The list's or field's name; null for the row. */
  readonly label: string | null;
  /** Keys from this object to the part that belongs to the levels below: no column of this one. */
  readonly leaveOut: readonly string[];
}

interface PlacedColumn extends Column, Pick<ObjectColumn, 'place'> {
  readonly level: number;
}

interface PlacedPosition extends Position, Pick<ObjectPosition, 'longitude' | 'latitude'> {
  readonly level: number;
}

/** Parts of a connection. They carry counts and cursors, nothing of a parent. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set(['nodes', 'edges']);

/** Whether the object behind `steps[from - 1]` is a level: the field of the root that leads to a list, or an item. */
function isLevel(steps: readonly Step[], from: number): boolean {
  const step = steps[from];
  if (from === 0) return steps.length === 0;
  if (from === steps.length) return true;
  const before = steps[from - 1];
  if (before !== undefined && 'each' in before) return step !== undefined && 'key' in step;
  return from === 1 && step !== undefined && 'key' in step && !CONNECTION_KEYS.has(step.key);
}

function levelsOf(steps: readonly Step[]): Level[] {
  const levels: Level[] = [];
  for (let from = 0; from <= steps.length; from += 1) {
    if (!isLevel(steps, from)) continue;
    const isRow = from === steps.length;
    levels.push({ label: isRow ? null : labelOf(steps.slice(0, from)), leaveOut: isRow ? [] : keysBelow(steps, from) });
  }
  return levels;
}

/** Keys down to the next list, less `nodes` or `edges`: the whole connection is left out. */
function keysBelow(steps: readonly Step[], from: number): string[] {
  const keys: string[] = [];
  for (const step of steps.slice(from)) {
    if ('each' in step) break;
    keys.push(step.key);
  }
  return CONNECTION_KEYS.has(keys.at(-1) ?? '') ? keys.slice(0, -1) : keys;
}

function labelOf(steps: readonly Step[]): string {
  const keys = steps.flatMap((step) => ('key' in step ? [step.key] : []));
  const named = keys.filter((key) => !CONNECTION_KEYS.has(key) && key !== 'node');
  return named.at(-1) ?? keys.at(-1) ?? '';
}

/** Labels of the levels; of two with the same name the inner one is numbered. */
function labelsOf(levels: readonly Level[]): (string | null)[] {
  const seen = new Map<string, number>();
  return levels.map(({ label }) => {
    if (label === null) return null;
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    return times === 1 ? label : `${label}${times}`;
  });
}

function columnsOfLevel(shape: Shape, level: number, label: string | null | undefined): PlacedColumn[] {
  const isInherited = typeof label === 'string';
  return columnsOf(shape).map(({ name, place }) => ({
    name: isInherited ? `${label}/${ownName(shape, name)}` : ownName(shape, name),
    isInherited,
    place,
    level,
  }));
}

function positionsOfLevel(shape: Shape, level: number, label: string | null | undefined): PlacedPosition[] {
  const isInherited = typeof label === 'string';
  return positionsOf(shape).map(({ name, longitude, latitude }) => {
    const own = name === '' ? 'row' : ownName(shape, name);
    return { name: isInherited ? `${label}/${own}` : own, isInherited, longitude, latitude, level };
  });
}

/** `{ node, cursor, distance }` is one thing: the node's values lose their prefix, the edge's get one. */
function ownName(shape: Shape, name: string): string {
  if ((shape.children.get('node')?.children.size ?? 0) === 0) return name;
  return name.startsWith('node.') ? name.slice('node.'.length) : `edge.${name}`;
}

function sortedByLevel(positions: readonly PlacedPosition[]): PlacedPosition[] {
  const depth = ({ longitude }: PlacedPosition) => longitude.length;
  return [...positions].sort((one, other) => other.level - one.level || depth(one) - depth(other));
}

/** The chains of objects, one for each row: its levels from the outermost to itself. */
function* walk(
  value: Json | undefined,
  steps: readonly Step[],
  from: number,
  chain: readonly Json[],
): Generator<Json[]> {
  const here = isLevel(steps, from) ? [...chain, value ?? null] : chain;
  const step = steps[from];
  if (step === undefined) yield [...here];
  else if ('key' in step) {
    if (isObject(value)) yield* walk(value[step.key], steps, from + 1, here);
  } else if (isList(value)) {
    for (const item of value) yield* walk(item, steps, from + 1, here);
  }
}

function rowOf(chain: readonly Json[], columns: readonly PlacedColumn[]): Row {
  return {
    cells: () => columns.map(({ level, place }) => cellOf(valueAt(chain[level] ?? null, place))),
    at(position) {
      const { level, longitude, latitude } = position as PlacedPosition;
      const object = chain[level] ?? null;
      const [lon, lat] = [valueAt(object, longitude), valueAt(object, latitude)];
      if (typeof lon !== 'number' || typeof lat !== 'number' || (lon === 0 && lat === 0)) return null;
      return [lon, lat];
    },
  };
}
