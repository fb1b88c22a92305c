import { createHash } from 'node:crypto';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';

/** Request headers that make a response describe its own execution: such a response is for its caller alone. */
const OF_ONE_CALLER = ['x-passerelle-trace', 'x-passerelle-calls', 'x-passerelle-dry-run'] as const;

/** Every request header that a response may depend on. */
export const VARY = [
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Cookie',
  'Origin',
  'X-Volunteering-Key',
  'X-Work-Study-Key',
  'X-Passerelle-Csrf',
  'X-Passerelle-Trace',
  'X-Passerelle-Calls',
  'X-Passerelle-Dry-Run',
].join(', ');

/** Value of `Cache-Control` if no cache may store the response. */
const UNCACHEABLE = 'private, no-store';

/** Whether the response to a request is for its caller alone. */
export function isForOneCaller(headers: RequestHeaders): boolean {
  return OF_ONE_CALLER.some((name) => oneHeader(headers, name) !== undefined);
}

/** `Cache-Control` of a response that is fresh until a time in milliseconds since 1970; null forbids caching. */
export function cacheControl(freshUntilMs: number | null): string {
  if (freshUntilMs === null) return UNCACHEABLE;
  return `public, max-age=${Math.max(0, Math.floor((freshUntilMs - Date.now()) / 1000))}`;
}

/** The entity tag of a body before it is encoded; weak, because its encodings share it. */
export function entityTag(body: Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`;
}

/** Whether the client already has the response with this tag (`If-None-Match`, RFC 9110, 13.1.2). */
export function isKnown(tag: string, headers: RequestHeaders): boolean {
  const sent = oneHeader(headers, 'if-none-match');
  if (sent === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return sent.trim() === '*' || sent.split(',').some((one) => opaque(one) === opaque(tag));
}
