import type { Origin } from '../shapes/shape.js';
import type { CallResponse } from './call.js';
import type { UpstreamRequest } from './upstream.js';

/** What one parser made of a cached response. */
export interface Reading {
  readonly parse: UpstreamRequest<unknown>['parse'];
  readonly value: unknown;
}

/**
 * The value of a response: made once for each parser, then the same object for every caller, so that what follows from
 * it can be cached with it. Throws what the parser throws.
 */
export function parseResponse<T>(response: CallResponse, request: UpstreamRequest<T>, { service, drift }: Origin): T {
  const known = response.reading;
  // The identity of a request determines its parser's result: two with one place in the cache differ at most in it.
  if (known !== null && known.parse === request.parse) return known.value as T;
  const { status, json, account } = response;
  const value = request.parse({ status, json, origin: { service, drift, account } }, request);
  response.reading = { parse: request.parse, value };
  return value;
}
