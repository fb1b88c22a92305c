import type { Cell } from './cells.js';
import {
  type CellPath,
  cellOf,
  columnsOf,
  emptyShape,
  isEmptyValue,
  mergeShape,
  type ObjectColumn,
  type ObjectPosition,
  placesOf,
  positionsOf,
  type Shape,
  valueAt,
} from './columns.js';
import { isList, isObject, type Json, type JsonObject, type Step } from './path.js';
import { finish, type Steps } from './steps.js';

/** A column of a table. */
export interface Column {
  /** Such as `title`, `organization.title`, or `communes/nom` with the label of a parent. */
  readonly name: string;
  /** Whether it repeats a value of a parent. */
  readonly isInherited: boolean;
}

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** A position that rows have. */
export interface Position {
  readonly name: string;
  readonly isInherited: boolean;
}

/** One row. Its cells are computed on demand. */
interface Row {
  /** In the order of the columns. */
  cells(): Cell[];
  /** The coordinates of the row; null if it has none, or (0, 0), which sources send for "unknown". */
  at(position: Position): LonLat | null;
}

/** A column with its location in a row's chain of objects. */
export interface PlacedColumn extends Column, Pick<ObjectColumn, 'place'> {
  readonly level: number;
  /** Whether it has objects, or lists of them, so that no cell can show it. */
  readonly holdsObjects?: boolean;
  /** Whether all of its values are ISO dates. */
  readonly isDate?: boolean;
  /** Whether its cells are the items of lists. */
  readonly isList?: boolean;
  /** What its type says of its values, of which not all may be dates. Absent for text, or if unknown. */
  readonly type?: ColumnType;
}

/** Types whose values are compared as such. */
export type ColumnType = 'date' | 'number' | 'boolean';

/** A row that can return any cell of its layout, not only those of its columns. */
export interface LayoutRow extends Row {
  cell(column: PlacedColumn): Cell;
  /** Whether a column is empty in this row; an object is not empty. */
  isEmpty(column: PlacedColumn): boolean;
}

/** How rows are read from any response to a query. */
export interface Layout {
  readonly columns: readonly PlacedColumn[];
  /** Own positions first, then those of the nearest parent. */
  readonly positions: readonly Position[];
  /**
   * The column of this name; null if there is none. Objects and pairs of coordinates have names too: in a response with
   * only nulls there, they are columns; elsewhere they hold objects, and only `empty` applies to them.
   */
  column(name: string): PlacedColumn | null;
  rowsOf(data: JsonObject): Iterable<LayoutRow>;
}

/** The shapes of the objects at each level of a list in a response. */
export function shapesOf(data: JsonObject, steps: readonly Step[]): Shape[] {
  return finish(shapeSteps(data, steps));
}

/** Rows of which a few cells are read in one step: a few milliseconds of work. */
export const ROWS_OF_A_STEP = 1_000;

/** Like `shapesOf`, in steps of one row, however many keys it has. */
export function* shapeSteps(data: JsonObject, steps: readonly Step[]): Steps<Shape[]> {
  const levels = levelsOf(steps);
  const shapes = levels.map(emptyShape);
  let before: readonly Json[] = [];
  for (const chain of walk(data, steps)) {
    for (const [level, object] of chain.entries()) {
      const shape = shapes[level];
      // Rows of one parent are consecutive, so its values are read once.
      if (shape === undefined || !isObject(object) || before[level] === object) continue;
      mergeShape(shape, object, levels[level]?.leaveOut);
    }
    before = chain;
    yield;
  }
  return shapes;
}

/** The layout of a list whose levels have these shapes. */
export function layoutOf(steps: readonly Step[], shapes: readonly Shape[]): Layout {
  const labels = labelsOf(levelsOf(steps));
  const nameOf = (shape: Shape, level: number, own: string): string => {
    const label = labels[level];
    return typeof label === 'string' ? `${label}/${ownName(shape, own)}` : ownName(shape, own);
  };
  const placed = (shape: Shape, level: number, own: string, place: CellPath): PlacedColumn => ({
    name: nameOf(shape, level, own),
    isInherited: typeof labels[level] === 'string',
    place,
    level,
  });
  // Own columns first, then those of the nearest parent: the row's values are what the user wants to see.
  const columns = shapes
    .map((shape, level) =>
      columnsOf(shape).map(({ name, place, ...of }) => ({ ...placed(shape, level, name, place), ...of })),
    )
    .reverse()
    .flat();
  const positions = shapes.flatMap((shape, level) =>
    positionsOf(shape).map(
      ({ name, ...place }): PlacedPosition => ({
        ...place,
        name:
          name === ''
            ? `${typeof labels[level] === 'string' ? `${labels[level]}/` : ''}row`
            : nameOf(shape, level, name),
        isInherited: typeof labels[level] === 'string',
        level,
        isOfNode: isOfNode(shape, name),
      }),
    ),
  );
  const everywhere = (): PlacedColumn[] =>
    shapes.flatMap((shape, level) =>
      placesOf(shape).map(({ place, holdsObjects }) => ({
        ...placed(shape, level, place.join('.'), place),
        holdsObjects,
      })),
    );
  // A link may name hundreds of columns of a layout that has thousands.
  let byName: ReadonlyMap<string, PlacedColumn> | null = null;
  return {
    columns,
    positions: nearestFirst(positions),
    column(name) {
      byName ??= firstByName([...columns, ...everywhere()]);
      return byName.get(name) ?? null;
    },
    *rowsOf(data) {
      for (const chain of walk(data, steps)) yield new ChainRow(chain, columns);
    },
  };
}

function firstByName(columns: readonly PlacedColumn[]): ReadonlyMap<string, PlacedColumn> {
  return new Map(columns.map((column) => [column.name, column] as const).reverse());
}

interface PlacedPosition extends Position, Pick<ObjectPosition, 'longitude' | 'latitude'> {
  readonly level: number;
  readonly isOfNode: boolean;
}

/** An edge and its node are one row: columns of the node have no prefix, those of the edge get one. */
function ownName(shape: Shape, name: string): string {
  if (!hasNode(shape)) return name;
  return isOfNode(shape, name) ? name.slice('node.'.length) : `edge.${name}`;
}

function isOfNode(shape: Shape, name: string): boolean {
  return hasNode(shape) && name.startsWith('node.');
}

function hasNode(shape: Shape): boolean {
  return (shape.children.get('node')?.children.size ?? 0) > 0;
}

/** Positions of an edge come first, such as the address that was found: they belong to the row. */
function nearestFirst(positions: readonly PlacedPosition[]): PlacedPosition[] {
  const depth = ({ longitude }: PlacedPosition) => longitude.length;
  return [...positions].sort(
    (one, other) =>
      other.level - one.level || Number(one.isOfNode) - Number(other.isOfNode) || depth(one) - depth(other),
  );
}

/** A class, since responses have 100,000 rows: with functions of its own, each would take three times the memory. */
class ChainRow implements LayoutRow {
  readonly #chain: readonly Json[];
  readonly #columns: readonly PlacedColumn[];

  constructor(chain: readonly Json[], columns: readonly PlacedColumn[]) {
    this.#chain = chain;
    this.#columns = columns;
  }

  cell({ level, place }: PlacedColumn): Cell {
    return cellOf(valueAt(this.#chain[level] ?? null, place));
  }

  isEmpty({ level, place }: PlacedColumn): boolean {
    return isEmptyValue(valueAt(this.#chain[level] ?? null, place));
  }

  cells(): Cell[] {
    return this.#columns.map((column) => this.cell(column));
  }

  at(position: Position): LonLat | null {
    const { level, longitude, latitude } = position as PlacedPosition;
    const object = this.#chain[level] ?? null;
    const [lon, lat] = [valueAt(object, longitude), valueAt(object, latitude)];
    if (typeof lon !== 'number' || typeof lat !== 'number' || (lon === 0 && lat === 0)) return null;
    return [lon, lat];
  }
}

/** An object above the rows, whose values every row repeats; the last level is the row itself. */
interface Level {
  /** Name of the list or field; null for the row. */
  readonly label: string | null;
  /** Keys from this object to the part that belongs to the levels below and has no columns here. */
  readonly leaveOut: readonly string[];
}

/** Keys of the rows of a connection, which also has counts and cursors, and is not a parent with values. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set(['nodes', 'edges']);

/** Whether the object at `steps[from - 1]` is a level: a root field that leads to a list, or an item. */
function isLevel(steps: readonly Step[], from: number): boolean {
  const step = steps[from];
  if (from === 0) return steps.length === 0;
  if (from === steps.length) return true;
  const before = steps[from - 1];
  if (before !== undefined && 'each' in before) return step !== undefined && 'key' in step;
  return from === 1 && step !== undefined && 'key' in step && !CONNECTION_KEYS.has(step.key);
}

/** The levels of a list, from the outermost to the row. */
function levelsOf(steps: readonly Step[]): Level[] {
  const levels: Level[] = [];
  for (let from = 0; from <= steps.length; from += 1) {
    if (!isLevel(steps, from)) continue;
    const isRow = from === steps.length;
    levels.push({ label: isRow ? null : labelOf(steps.slice(0, from)), leaveOut: isRow ? [] : keysBelow(steps, from) });
  }
  return levels;
}

/** Keys down to the next list, without `nodes` or `edges`: the whole connection is excluded. */
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

/** Labels of the levels; the inner one of two equal names gets a number. */
function labelsOf(levels: readonly Level[]): (string | null)[] {
  const seen = new Map<string, number>();
  return levels.map(({ label }) => {
    if (label === null) return null;
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    return times === 1 ? label : `${label}${times}`;
  });
}

/** Yields a chain of objects for each row: its levels from the outermost to the row. */
function* walk(
  value: Json | undefined,
  steps: readonly Step[],
  from = 0,
  chain: readonly Json[] = [],
): Generator<Json[]> {
  const here = isLevel(steps, from) ? [...chain, value ?? null] : chain;
  const step = steps[from];
  if (step === undefined) yield [...here];
  else if ('key' in step) {
    if (isObject(value)) yield* walk(value[step.key], steps, from + 1, here);
  } else if (isList(value)) {
    const isRows = from + 1 === steps.length;
    for (const item of value) {
      // A generator per row would take half of the time.
      if (isRows) yield [...here, item];
      else yield* walk(item, steps, from + 1, here);
    }
  }
}
