import type { ResponsePath } from '../../../runtime/errors/error-list.js';
import { responseTooLarge } from '../../request/response-too-large.js';
import { type Data, isData } from './merge.js';

/** Field names from the root of the response; `@` stands for every index of a list. */
export type PlacePath = readonly string[];

/** The objects at a path, without duplicates. Objects are shared: there may be far more paths to them than objects. */
export function objectsAt(root: Data, path: PlacePath): Data[] {
  let values = new Set<unknown>([root]);
  for (const step of path) {
    const next = new Set<unknown>();
    for (const value of values) {
      if (step !== '@') {
        if (isData(value) && Object.hasOwn(value, step)) next.add(value[step]);
      } else if (Array.isArray(value)) {
        for (const item of value) next.add(item);
      }
    }
    values = next;
  }
  return [...values].filter(isData);
}

/** Steps that one search for places may take: twenty for each of the 50,000 items that one operation may request. */
const MAX_ERROR_PLACE_STEPS = 1_000_000;

/**
 * All places of the given objects (by identity) at a path. Only errors need them. Throws ANSWER_TOO_LARGE if shared
 * objects have so many places that no response could hold them.
 */
export function placesOf(
  objects: ReadonlySet<Data | undefined>,
  root: Data,
  path: PlacePath,
): Map<Data, ResponsePath[]> {
  const places = new Map<Data, ResponsePath[]>();
  const place: (string | number)[] = [];
  let left = MAX_ERROR_PLACE_STEPS;

  function walk(value: unknown, depth: number): void {
    left -= 1;
    if (left < 0) throw responseTooLarge('The response would have errors at too many places.');
    const step = path[depth];
    if (step === undefined) {
      if (isData(value) && objects.has(value)) remember(value);
    } else if (step === '@') {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) walkTo(item, index, depth);
    } else if (isData(value) && Object.hasOwn(value, step)) {
      walkTo(value[step], step, depth);
    }
  }

  function walkTo(value: unknown, step: string | number, depth: number): void {
    place.push(step);
    walk(value, depth + 1);
    place.pop();
  }

  function remember(object: Data): void {
    left -= place.length;
    const known = places.get(object);
    if (known === undefined) places.set(object, [[...place]]);
    else known.push([...place]);
  }

  walk(root, 0);
  return places;
}
