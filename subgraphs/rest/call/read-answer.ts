import type { Origin } from '../shapes/shape.js';
import type { Answer } from './call.js';
import type { UpstreamRequest } from './upstream.js';

/** What one parser made of a cached response. */
export interface Reading {
  readonly parse: UpstreamRequest<unknown>['parse'];
  readonly value: unknown;
}

/**
 * The value of an answer: made once for each parser, then the same object for every caller, so that what follows from
 * it can be kept with it. Throws what the parser throws.
 */
export function readAnswer<T>(answer: Answer, request: UpstreamRequest<T>, { service, drift }: Origin): T {
  const known = answer.reading;
  // The identity of a request determines its parser's result: two with one place in the cache differ at most in it.
  if (known !== null && known.parse === request.parse) return known.value as T;
  const { status, json, account } = answer;
  const value = request.parse({ status, json, origin: { service, drift, account } }, request);
  answer.reading = { parse: request.parse, value };
  return value;
}
