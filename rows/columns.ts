import { readDate } from '../kernel/dates.js';
import { type Cell, isEmptyCell } from './cells.js';
import { isList, isObject, type Json, type JsonObject } from './path.js';

/** The path of a value in a row: keys, and an index into a pair of coordinates or the keys of a group. */
export type CellPath = readonly (string | number)[];

/** A column, found in one of the merged objects. */
export interface ObjectColumn {
  /** Such as `organization.title`. */
  readonly name: string;
  readonly place: CellPath;
  /** Whether all of its values are ISO dates, with or without a time. */
  readonly isDate: boolean;
  /** Whether cells are the items of lists, with `ITEMS` between them. */
  readonly isList: boolean;
}

/** A pair of coordinates in the objects. */
export interface ObjectPosition {
  /** Such as `location`; empty if the object itself is the position. */
  readonly name: string;
  readonly longitude: CellPath;
  readonly latitude: CellPath;
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
export function emptyShape(): Shape {
  return {
    children: new Map(),
    ...{ hasValue: false, hasNull: false, hasDate: false, hasOther: false, hasObjects: false },
    ...{ isPair: false, isList: false, items: 0, isGeoPoint: false },
  };
}

/** A place, and what any row has there. */
export interface ObjectPlace {
  readonly place: CellPath;
  /** Whether it has only objects, or lists of them: no cell can show these. */
  readonly holdsObjects: boolean;
}

/** Adds an object to a shape, without `pageInfo` and without the child at `leaveOut`, which belongs to another list. */
export function mergeShape(shape: Shape, object: JsonObject, leaveOut: readonly string[] = []): void {
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

/** The columns of a shape in first-seen order, with nested objects flattened. */
export function columnsOf(shape: Shape): ObjectColumn[] {
  const columns: ObjectColumn[] = [];
  collect(shape, [], columns);
  return columns;
}

/** Lists of groups of counts with an item for each key, which has a column of its own. */
const OF_KEYS: ReadonlySet<string> = new Set(['key', 'label', 'value']);

function collect(shape: Shape, place: readonly string[], columns: ObjectColumn[]): void {
  for (const [key, child] of shape.children) {
    const inside = [...place, key];
    // The same in every row: it only says that the coordinates are a point.
    if (shape.isGeoPoint && key === 'type' && shape.children.get('coordinates')?.isPair) continue;
    if (shape.isGeoPoint && key === 'coordinates' && child.isPair) {
      columns.push({ name: [...place, 'lon'].join('.'), place: [...inside, 0], isDate: false, isList: false });
      columns.push({ name: [...place, 'lat'].join('.'), place: [...inside, 1], isDate: false, isList: false });
    } else if (OF_KEYS.has(key) && child.items > 1) {
      for (let at = 0; at < child.items; at += 1)
        columns.push({ name: `${inside.join('.')}.${at + 1}`, place: [...inside, at], isDate: false, isList: false });
    } else if (child.hasValue || (child.hasNull && child.children.size === 0)) {
      const { hasDate, hasOther, isList } = child;
      columns.push({ name: inside.join('.'), place: inside, isDate: hasDate && !hasOther, isList });
    }
    collect(child, inside, columns);
  }
}

/** The paths of all keys of a shape, including objects and lists. */
export function placesOf(shape: Shape, place: readonly string[] = []): ObjectPlace[] {
  return [...shape.children].flatMap(([key, child]) => {
    const inside = [...place, key];
    return [{ place: inside, holdsObjects: child.hasObjects && !child.hasValue }, ...placesOf(child, inside)];
  });
}

const PAIRS = [
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['longitude', 'latitude'],
] as const;

/** The positions of a shape, the least nested first. */
export function positionsOf(shape: Shape): ObjectPosition[] {
  const positions: ObjectPosition[] = [];
  collectPositions(shape, [], positions);
  return positions.sort((one, other) => one.longitude.length - other.longitude.length);
}

function collectPositions(shape: Shape, place: readonly string[], positions: ObjectPosition[]): void {
  const name = place.join('.');
  for (const [lon, lat] of PAIRS) {
    if (shape.children.get(lon)?.hasValue && shape.children.get(lat)?.hasValue) {
      positions.push({ name, longitude: [...place, lon], latitude: [...place, lat] });
    }
  }
  for (const [key, child] of shape.children) {
    const inside = [...place, key];
    // In GeoJSON and the volunteering service's `lonlat`, longitude comes first; the order of other pairs is unknown.
    if (child.isPair && (key === 'lonlat' || (key === 'coordinates' && shape.isGeoPoint))) {
      const isOwnName = key === 'lonlat';
      positions.push({
        name: isOwnName ? inside.join('.') : name,
        longitude: [...inside, 0],
        latitude: [...inside, 1],
      });
    }
    collectPositions(child, inside, positions);
  }
}

/** The value at a path of an object; undefined if the path does not exist. */
export function valueAt(object: Json, place: CellPath): Json | undefined {
  let value: Json | undefined = object;
  for (let at = 0; at < place.length; at += 1) {
    const step = place[at];
    if (typeof step === 'number') value = isList(value) ? value[step] : undefined;
    else value = step !== undefined && isObject(value) ? value[step] : undefined;
  }
  return value;
}

/** Whether a cell shows nothing because there is nothing: a null, an empty text or an empty list. */
export function isEmptyValue(value: Json | undefined): boolean {
  if (isObject(value) || (isList(value) && value.some(isObject))) return false;
  return isEmptyCell(cellOf(value));
}

/** Between the items of a list in a cell. */
export const ITEMS = ' | ';

/** A value as a cell: a list of values is joined, anything deeper is JSON. */
export function cellOf(value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value;
  if (!isList(value)) return null;
  if (value.some(isObject)) return null;
  if (value.some(isList)) return JSON.stringify(value);
  return value.map((item) => (item === null ? '' : String(item))).join(ITEMS);
}
