/* Bounds that the pages keep to as the servers do. */

/**
 * Rank at which a search of missions ends here, as it did at the source in its documented version; today's goes on. A
 * first page of the largest size has all of it.
 */
export const SEARCH_CEILING = 10_000;

/** Bytes of a request's address and headers: Node's own bound. */
export const HEADER_BYTES = 16 * 1024;
