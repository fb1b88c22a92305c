import type { IncomingMessage } from 'node:http';
import { createLoggedNames, type Log } from '../../kernel/log.js';
import { RequestError } from './request-error.js';
import { oneHeader, type RequestHeaders } from './request-headers.js';

/** Response headers that pages of allowed origins may read. */
const EXPOSED_HEADERS = [
  'age',
  'cache-status',
  'content-disposition',
  'etag',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-passerelle-calls-estimated',
  'x-passerelle-calls-made',
  'x-passerelle-deprecations',
  'x-passerelle-errors',
  'x-passerelle-incomplete',
  'x-passerelle-omitted-lists',
  'x-passerelle-upstreams',
  'x-request-id',
].join(', ');

/** CORS for the origins in `CORS_ORIGINS`. */
export type CrossOrigin = ReturnType<typeof createCrossOrigin>;

/** Where refused preflights are reported. */
interface PreflightReport {
  readonly log: Log;
  readonly metrics: { preflightRefused(): void } | null;
}

/** Strangers choose origins: so many are logged in an hour, and so many characters of one. */
const LOGGED_ORIGINS = 100;
const LOGGED_LENGTH = 200;

/**
 * Creates the rules for a list of origins; the gateway's own pages need no entry. `publicUrl` is the origin that
 * browsers see, in case a proxy changes the `Host` header.
 */
export function createCrossOrigin(
  origins: readonly string[],
  publicUrl: string | null,
  { log, metrics }: PreflightReport,
) {
  const allows = allowedBy(origins);
  const vary = origins.length > 0 ? { vary: 'Origin' } : {};
  const isNew = createLoggedNames(LOGGED_ORIGINS);
  /** CORS headers for the response to a request with this `Origin`. */
  function headersFor(origin: string | undefined): Readonly<Record<string, string>> {
    if (!allows(origin)) return vary;
    const credentials = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
    return { ...vary, ...credentials, 'access-control-expose-headers': EXPOSED_HEADERS };
  }
  function reportRefused(origin: string): void {
    metrics?.preflightRefused();
    const cut = origin.slice(0, LOGGED_LENGTH);
    if (isNew(cut)) log.warn({ origin: cut }, 'a page may not call, because its origin is not in CORS_ORIGINS');
  }
  return {
    /** Whether pages of this origin may call. */
    allows,
    headersFor,
    /**
     * Whether a request is a preflight of a page that may call. It is answered also to a caller who has no requests
     * left, because no page can read why a preflight is refused.
     */
    isPreflight: ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
      method === 'OPTIONS' && 'access-control-request-method' in headers && allows(oneHeader(headers, 'origin')),
    /** Headers for the response to a preflight. One that is refused is counted, and logged once an hour per origin. */
    answerPreflight(headers: RequestHeaders): Readonly<Record<string, string>> {
      const origin = oneHeader(headers, 'origin');
      if (allows(origin)) {
        const wanted = oneHeader(headers, 'access-control-request-headers');
        const allowed = wanted === undefined ? {} : { 'access-control-allow-headers': wanted };
        const methods = { 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '7200' };
        return { ...headersFor(origin), ...methods, ...allowed };
      }
      if (origin !== undefined) reportRefused(origin);
      return vary;
    },
    /**
     * Throws a RequestError for a request without preflight from a page of a foreign origin. The page could not read the
     * response, but the request would use up the operator's quota.
     */
    refuseBlindRequest(headers: RequestHeaders): void {
      if (!isForeignPage(headers, publicUrl) || allows(oneHeader(headers, 'origin')) || hadPreflight(headers)) return;
      throw new RequestError(403, 'A page of another origin may not send this request.');
    },
  };
}

/** Origins exactly as browsers send them; `*.` at the start of a host stands for one label. */
function allowedBy(origins: readonly string[]) {
  const isPattern = (origin: string) => origin.includes('*');
  const exact = new Set(origins.filter((origin) => !isPattern(origin)));
  const patterns = origins.filter(isPattern).map((origin) => origin.split('*') as [scheme: string, rest: string]);
  return (origin: string | undefined): origin is string =>
    origin !== undefined &&
    (exact.has(origin) ||
      patterns.some(
        ([scheme, rest]) =>
          origin.startsWith(scheme) &&
          origin.endsWith(rest) &&
          /^[a-z\d-]{1,63}$/.test(origin.slice(scheme.length, -rest.length)),
      ));
}

/**
 * Judged by headers that pages cannot forge: `Sec-Fetch-Site`, or `Origin` if that is missing (insecure connections,
 * old browsers). Clients that send neither, such as Excel or curl, are not browsers.
 */
function isForeignPage(headers: RequestHeaders, publicUrl: string | null): boolean {
  const site = oneHeader(headers, 'sec-fetch-site');
  const origin = oneHeader(headers, 'origin');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== publicUrl && !isOfHost(origin, oneHeader(headers, 'host'));
}

function isOfHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** JSON bodies and custom headers require a preflight, in which the origin has already been checked. */
function hadPreflight(headers: RequestHeaders): boolean {
  return (
    /^application\/json\b/i.test(oneHeader(headers, 'content-type') ?? '') ||
    oneHeader(headers, 'x-passerelle-csrf') !== undefined ||
    oneHeader(headers, 'x-apollo-operation-name') !== undefined
  );
}
