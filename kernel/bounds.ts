/* Bounds that several rooms keep to. */

/** Bytes of a request's address and headers: Node's own bound. */
export const HEADER_BYTES = 16 * 1024;

/** Milliseconds for which no cached response is fresh: reference data are for a day and a tenth (architecture 6). */
export const LONGEST_FRESH_MS = 2 * 24 * 3_600_000;
