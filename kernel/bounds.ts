/* Bounds that the pages keep to as the servers do. */

/** Bytes of a request's address and headers: Node's own bound. */
export const HEADER_BYTES = 16 * 1024;
