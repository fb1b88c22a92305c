import type { Origin } from '../shapes/shape.js';
import type { CallResponse } from './call.js';
import type { UpstreamRequest } from './upstream.js';

/** What one parser made of a cached response. */
export interface Reading {
  readonly parse: UpstreamRequest<unknown>['parse'];
  readonly value: unknown;
}

/**
 * The value of a response: parsed once per parser and then the same object for every caller, so that what is derived
 * from it can be cached with it. Throws what the parser throws.
 */
export function parseResponse<T>(response: CallResponse, request: UpstreamRequest<T>, { service, drift }: Origin): T {
  const known = response.reading;
  // Requests with the same place in the cache differ at most in their parser.
  if (known !== null && known.parse === request.parse) return known.value as T;
  const { status, json, account } = response;
  const value = request.parse({ status, json, origin: { service, drift, account } }, request);
  response.reading = { parse: request.parse, value };
  return value;
}
