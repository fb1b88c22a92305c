import { list, type Origin, object, type Shape, wrongType } from '../../rest/responses/shape.js';

/**
 * The objects of a response that is a list. An item that is not an object is an error at its own index, for GraphQL to
 * report there. Throws `UPSTREAM_INVALID_RESPONSE` when the response is not a list.
 */
export function parseList<V>(of: Shape<V>, json: unknown, origin: Origin): (V | null)[] {
  const place = `${of.name}[]`;
  if (!Array.isArray(json)) throw wrongType('a list', place, origin);
  return list(object(of)).read(json, place, origin);
}

/** Like `parseList`, but throws for an empty list, which would be served to everybody for as long as it is cached. */
export function parseWholeList<V>(of: Shape<V>, json: unknown, origin: Origin): (V | null)[] {
  const items = parseList(of, json, origin);
  if (items.length === 0) throw wrongType('a list with items', `${of.name}[]`, origin);
  return items;
}

/** The readable items of a parsed list: an error in one item does not matter when another is looked up. */
export function readableItems<V>(items: readonly (V | null)[]): V[] {
  return items.filter((item): item is NonNullable<typeof item> => item !== null && !(item instanceof Error)) as V[];
}
