import type { ResponsePath } from '../../../runtime/errors/error-list.js';
import { type Data, isData } from './merge.js';

/** Field names from the root of the response; `@` stands for every index of a list. */
export type PlacePath = readonly string[];

/** The objects at a path, without duplicates. */
export function objectsAt(root: Data, path: PlacePath): Data[] {
  const objects = new Set<Data>();
  visit(root, path, 0, objects);
  return [...objects];
}

function visit(value: unknown, path: PlacePath, depth: number, objects: Set<Data>): void {
  const step = path[depth];
  if (step === undefined) {
    if (isData(value)) objects.add(value);
  } else if (step === '@') {
    if (Array.isArray(value)) for (const item of value) visit(item, path, depth + 1, objects);
  } else if (isData(value) && Object.hasOwn(value, step)) {
    visit(value[step], path, depth + 1, objects);
  }
}

/** All places of the given objects (by identity) at a path. Only errors need them. */
export function placesOf(
  objects: ReadonlySet<Data | undefined>,
  root: Data,
  path: PlacePath,
): Map<Data, ResponsePath[]> {
  const places = new Map<Data, ResponsePath[]>();
  const walk = (value: unknown, depth: number, place: ResponsePath) => {
    const step = path[depth];
    if (step === undefined) {
      if (!isData(value) || !objects.has(value)) return;
      const known = places.get(value);
      if (known === undefined) places.set(value, [place]);
      else known.push(place);
    } else if (step === '@') {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, depth + 1, [...place, index]);
    } else if (isData(value) && Object.hasOwn(value, step)) {
      walk(value[step], depth + 1, [...place, step]);
    }
  };
  walk(root, 0, []);
  return places;
}
