/**
 * Bytes of a request's address and headers: Node's own bound, said here so that the links that a page writes keep to it.
 */
export const HEADER_BYTES = 16 * 1024;

/**
 * Milliseconds in which a request must have arrived, its headers first: a client that sends a byte now and then holds
 * no connection for longer. Node looks after each interval, so that it may take one interval more.
 */
export const ARRIVAL = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: HEADER_BYTES,
} as const;

/** Milliseconds that a request has left to arrive in when its server closes. */
export const LAST_ARRIVAL_MS = 1_000;
