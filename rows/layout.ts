import { readDate } from '../kernel/dates.js';
import { type Cell, cellOf, isEmptyValue } from './cells.js';
import { isList, isObject, type Json, type JsonObject, type Step } from './path.js';
import { finish, type Steps } from './steps.js';

/** Longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number];

/** A position that rows have. */
export interface Position {
  readonly name: string;
  readonly isInherited: boolean;
}

/** The path of a value in a row: keys, and an index into a pair of coordinates or the keys of a group. */
type CellPath = readonly (string | number)[];

/** A column with its location in a row's chain of objects. */
export interface PlacedColumn {
  /** Such as `title`, `organization.title`, or `communes/nom` with the label of a parent. */
  readonly name: string;
  /** Whether it repeats a value of a parent. */
  readonly isInherited: boolean;
  readonly level: number;
  readonly place: CellPath;
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

/** One row. Its cells are computed on demand. */
export interface LayoutRow {
  /** In the order of the columns. */
  cells(): Cell[];
  /** Any cell of the layout, not only those of its columns. */
  cell(column: PlacedColumn): Cell;
  /** The coordinates of the row; null if it has none, or (0, 0), which sources send for "unknown". */
  at(position: Position): LonLat | null;
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

/**
 * What occurs under one key in all rows. Rows are ragged: a null in one may be an object, a list or a value in another,
 * so the kind of a key is known only after all of them.
 */
export interface Shape {
  readonly children: Map<string, Shape>;
  hasValue: boolean;
  hasNull: boolean;
  hasDate: boolean;
  /** Whether there are values that are not dates; empty texts do not count. */
  hasOther: boolean;
  /** Whether there are objects, or lists of them. */
  hasObjects: boolean;
  isPair: boolean;
  isList: boolean;
  /** Items of the longest list. */
  items: number;
  isGeoPoint: boolean;
}

/** A shape before any object. */
function emptyShape(): Shape {
  return {
    children: new Map(),
    ...{ hasValue: false, hasNull: false, hasDate: false, hasOther: false, hasObjects: false },
    ...{ isPair: false, isList: false, items: 0, isGeoPoint: false },
  };
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

/** Adds an object to a shape, without `pageInfo` and without the child at `leaveOut`, which belongs to another list. */
function mergeShape(shape: Shape, object: JsonObject, leaveOut: readonly string[] = []): void {
  const [first, ...rest] = leaveOut;
  if (object['type'] === 'Point') shape.isGeoPoint = true;
  for (const [key, value] of Object.entries(object)) {
    if (key === 'pageInfo' || (key === first && rest.length === 0)) continue;
    const child = shape.children.get(key) ?? emptyShape();
    shape.children.set(key, child);
    mergeValue(child, value, key === first ? rest : []);
  }
}

function mergeValue(shape: Shape, value: Json, leaveOut: readonly string[]): void {
  if (value === null) shape.hasNull = true;
  else if (isObject(value)) {
    shape.hasObjects = true;
    mergeShape(shape, value, leaveOut);
  } else if (!isList(value)) {
    shape.hasValue = true;
    // One value that is not a date settles it, so few texts are examined.
    if (shape.hasOther || value === '') return;
    if (typeof value === 'string' && readDate(value) !== null) shape.hasDate = true;
    else shape.hasOther = true;
  } else if (value.some(isObject)) shape.hasObjects = true;
  else if (value.length > 0) {
    shape.hasValue = true;
    shape.hasOther = true;
    shape.isList = true;
    shape.items = Math.max(shape.items, value.length);
    shape.isPair = value.length === 2 && value.every((item) => typeof item === 'number');
  }
}

/** The layout of a list whose levels have these shapes. */
export function layoutOf(steps: readonly Step[], shapes: readonly Shape[]): Layout {
  const labels = levelsOf(steps).map(({ label }) => label);
  // Own columns first, then those of the nearest parent: the row's values are what the user wants to see.
  const levels = shapes.map((shape, level) => partsOf(shape, level, labels[level] ?? null)).reverse();
  const columns = levels.flatMap((parts) => parts.columns);
  // A link may name hundreds of columns of a layout that has thousands.
  let byName: ReadonlyMap<string, PlacedColumn> | null = null;
  return {
    columns,
    positions: nearestFirst(levels.flatMap((parts) => parts.positions)),
    column(name) {
      byName ??= new Map(
        [...columns, ...levels.flatMap(({ places }) => places)].map((one) => [one.name, one] as const).reverse(),
      );
      return byName.get(name) ?? null;
    },
    *rowsOf(data) {
      for (const chain of walk(data, steps)) yield new ChainRow(chain, columns);
    },
  };
}

/** Lists of groups of counts with an item for each key, which has a column of its own. */
const OF_KEYS: ReadonlySet<string> = new Set(['key', 'label', 'value']);

const PAIRS = [
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['longitude', 'latitude'],
] as const;

/** What the objects of a level have: columns in first-seen order, positions, and the places of all keys. */
function partsOf(shape: Shape, level: number, label: string | null) {
  const columns: PlacedColumn[] = [];
  const positions: PlacedPosition[] = [];
  const places: PlacedColumn[] = [];
  const prefix = label === null ? '' : `${label}/`;
  const common = { level, isInherited: label !== null };
  const placed = (own: string, place: CellPath) => ({ ...common, name: `${prefix}${ownName(shape, own)}`, place });
  const addColumn = (own: string, place: CellPath, { isDate = false, isList = false } = {}): void =>
    void columns.push({ ...placed(own, place), isDate, isList });
  const addPosition = (own: string, longitude: CellPath, latitude: CellPath): void => {
    const name = `${prefix}${own === '' ? 'row' : ownName(shape, own)}`;
    positions.push({ ...common, name, longitude, latitude, isOfNode: isOfNode(shape, own) });
  };
  for (const { part, parent, place } of nested(shape)) {
    const [own, around, key = ''] = [place.join('.'), place.slice(0, -1), place.at(-1)];
    if (parent !== null) {
      places.push({ ...placed(own, place), holdsObjects: part.hasObjects && !part.hasValue });
      const isCoordinates = parent.isGeoPoint && key === 'coordinates' && part.isPair;
      if (isCoordinates) {
        addColumn([...around, 'lon'].join('.'), [...place, 0]);
        addColumn([...around, 'lat'].join('.'), [...place, 1]);
      } else if (OF_KEYS.has(key) && part.items > 1) {
        for (let at = 0; at < part.items; at += 1) addColumn(`${own}.${at + 1}`, [...place, at]);
      } else if (!isTypeOfPoint(key, parent) && (part.hasValue || (part.hasNull && part.children.size === 0))) {
        addColumn(own, place, { isDate: part.hasDate && !part.hasOther, isList: part.isList });
      }
      // In GeoJSON and the volunteering service's `lonlat`, longitude comes first; the order of other pairs is unknown.
      if (isCoordinates || (key === 'lonlat' && part.isPair))
        addPosition(isCoordinates ? around.join('.') : own, [...place, 0], [...place, 1]);
    }
    for (const [lon, lat] of PAIRS) {
      if (part.children.get(lon)?.hasValue && part.children.get(lat)?.hasValue)
        addPosition(own, [...place, lon], [...place, lat]);
    }
  }
  return { columns, positions, places };
}

/** The same in every row: it only says that the coordinates are a point. */
function isTypeOfPoint(key: string, parent: Shape): boolean {
  return parent.isGeoPoint && key === 'type' && parent.children.get('coordinates')?.isPair === true;
}

/** A shape and all below it, each before what is in it. */
function* nested(
  part: Shape,
  place: readonly string[] = [],
  parent: Shape | null = null,
): Generator<{ readonly part: Shape; readonly parent: Shape | null; readonly place: readonly string[] }> {
  yield { part, parent, place };
  for (const [key, child] of part.children) yield* nested(child, [...place, key], part);
}

interface PlacedPosition extends Position {
  readonly level: number;
  readonly longitude: CellPath;
  readonly latitude: CellPath;
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

/** The value at a path of an object; undefined if the path does not exist. */
function valueAt(object: Json, place: CellPath): Json | undefined {
  let value: Json | undefined = object;
  for (let at = 0; at < place.length; at += 1) {
    const step = place[at];
    if (typeof step === 'number') value = isList(value) ? value[step] : undefined;
    else value = step !== undefined && isObject(value) ? value[step] : undefined;
  }
  return value;
}

/** An object above the rows, whose values every row repeats; the last level is the row itself. */
interface Level {
  /** Name of the list or field, the inner one of two equal names with a number; null for the row. */
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
  const seen = new Map<string, number>();
  for (let from = 0; from < steps.length; from += 1) {
    if (!isLevel(steps, from)) continue;
    const label = labelOf(steps.slice(0, from));
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    levels.push({ label: times === 1 ? label : `${label}${times}`, leaveOut: keysBelow(steps, from) });
  }
  return [...levels, { label: null, leaveOut: [] }];
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
