import type { Origin } from '../../rest/shape.js';
import { list, object, type Shape, wrongType } from '../../rest/shape.js';

/**
 * The objects of an answer that is a list. An item that is no object is an error in its own place, for GraphQL to
 * report there. Throws `UPSTREAM_INVALID_RESPONSE` when the answer is no list.
 */
export function parseList<V>(of: Shape<V>, json: unknown, origin: Origin): (V | null)[] {
  const place = `${of.name}[]`;
  if (!Array.isArray(json)) throw wrongType('a list', place, origin);
  return list(object(of)).read(json, place, origin);
}

/** The items of a parsed list that can be read: for looking one up, an error in another's place does not matter. */
export function readable<V>(items: readonly (V | null)[]): V[] {
  return items.filter((item): item is NonNullable<typeof item> => item !== null && !(item instanceof Error)) as V[];
}
