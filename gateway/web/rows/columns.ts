import { isList, isObject, type Json, type JsonObject } from './path.js';

/** What a cell of a table holds. */
export type Cell = string | number | boolean | null;

/** Where a value is in a row: one key each, and a number into a pair of coordinates. */
export type Place = readonly (string | number)[];

/** A column of the objects that were merged. */
export interface ObjectColumn {
  /** Such as `organization.title`. */
  readonly name: string;
  readonly place: Place;
}

/** A place where the objects hold a position. */
export interface ObjectPosition {
  /** Such as `location`; empty when the object itself is the position. */
  readonly name: string;
  readonly longitude: Place;
  readonly latitude: Place;
}

/**
 * What was seen under one key in all rows. Rows are ragged: a null in one may be an object, a list or a value in
 * another, so the kind of a key is known only at the end.
 */
export interface Shape {
  readonly children: Map<string, Shape>;
  hasValue: boolean;
  hasNull: boolean;
  isPair: boolean;
  isGeoPoint: boolean;
}

export function emptyShape(): Shape {
  return { children: new Map(), hasValue: false, hasNull: false, isPair: false, isGeoPoint: false };
}

/** Adds what an object shows. The child at `leaveOut` belongs to another list; `pageInfo` belongs to no row. */
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
  else if (isObject(value)) mergeShape(shape, value, leaveOut);
  else if (!isList(value)) shape.hasValue = true;
  else if (value.length > 0 && !value.some(isObject)) {
    shape.hasValue = true;
    shape.isPair = value.length === 2 && value.every((item) => typeof item === 'number');
  }
}

/** The columns of a shape in first-seen order, nested objects spelled out. */
export function columnsOf(shape: Shape): ObjectColumn[] {
  const columns: ObjectColumn[] = [];
  collect(shape, [], columns);
  return columns;
}

function collect(shape: Shape, place: readonly string[], columns: ObjectColumn[]): void {
  for (const [key, child] of shape.children) {
    const inside = [...place, key];
    if (shape.isGeoPoint && key === 'coordinates' && child.isPair) {
      columns.push({ name: [...place, 'lon'].join('.'), place: [...inside, 0] });
      columns.push({ name: [...place, 'lat'].join('.'), place: [...inside, 1] });
    } else if (child.hasValue || (child.hasNull && child.children.size === 0)) {
      columns.push({ name: inside.join('.'), place: inside });
    }
    collect(child, inside, columns);
  }
}

/** Every place of a shape that has a name, objects and lists too. */
export function placesOf(shape: Shape, place: readonly string[] = []): Place[] {
  return [...shape.children].flatMap(([key, child]) => {
    const inside = [...place, key];
    return [inside, ...placesOf(child, inside)];
  });
}

const PAIRS = [
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['longitude', 'latitude'],
] as const;

/** The positions of a shape, those nearest to the object itself first. */
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
    // GeoJSON and the volunteering service's `lonlat` put the longitude first; of other pairs the order is unknown.
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

/** The value at a place of an object; undefined where the way there ends early. */
export function valueAt(object: Json, place: Place): Json | undefined {
  let value: Json | undefined = object;
  for (const step of place) {
    if (typeof step === 'number') value = isList(value) ? value[step] : undefined;
    else value = isObject(value) ? value[step] : undefined;
  }
  return value;
}

/** A value as a cell: a list of values in one cell, anything deeper as JSON. */
export function cellOf(value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (!isList(value)) return isObject(value) ? null : (value as Cell);
  if (value.some(isObject)) return null;
  if (value.some(isList)) return JSON.stringify(value);
  return value.map((item) => (item === null ? '' : String(item))).join(' | ');
}
