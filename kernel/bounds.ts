/* Bounds that the pages keep to as the servers do. */

/**
 * Rank at which the source cuts off a search of missions (volunteering 3.1): its pages end there, however many missions
 * match. A first page of the largest size reads all of it.
 */
export const SEARCH_CEILING = 10_000;

/** Bytes of a request's address and headers: Node's own bound. */
export const HEADER_BYTES = 16 * 1024;
