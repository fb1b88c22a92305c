import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { RequestError } from './request-error.js';

/** Headers that a page of an allowed origin may send with a query. */
const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'x-apollo-operation-name',
  'x-passerelle-csrf',
  'x-passerelle-trace',
  'x-request-id',
  'x-volunteering-key',
  'x-work-study-key',
].join(', ');

/** Headers of our answers that it may read. */
const EXPOSED_HEADERS = [
  'cache-status',
  'content-disposition',
  'x-passerelle-errors',
  'x-passerelle-incomplete',
  'x-passerelle-upstreams',
  'x-request-id',
].join(', ');

/** Which other origins may read our answers in a browser: those of `CORS_ORIGINS`, exactly. */
export interface CrossOrigin {
  /** Headers for the answer to a request with this Origin. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Headers of the response to a preflight. */
  preflightHeadersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /**
   * Throws a RequestError for a request that a page of a foreign origin made its browser send without a preflight.
   * The answer would stay hidden from that page, but the operator's quota would be spent on it.
   */
  refuseBlindRequest(headers: RequestHeaders): void;
}

/**
 * The rules for a list of exact origins; our own pages are not cross-origin and need no entry. `publicUrl` is the
 * origin that browsers see, where a proxy calls us by another name.
 */
export function createCrossOrigin(origins: readonly string[], publicUrl: string | null): CrossOrigin {
  const allowed = new Set(origins);
  const vary = allowed.size > 0 ? { vary: 'Origin' } : {};
  const isAllowed = (origin: string | undefined): origin is string => origin !== undefined && allowed.has(origin);
  const headersFor = (origin: string | undefined): Readonly<Record<string, string>> =>
    isAllowed(origin)
      ? {
          ...vary,
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': EXPOSED_HEADERS,
        }
      : vary;
  return {
    headersFor,
    preflightHeadersFor: (origin) =>
      isAllowed(origin)
        ? {
            ...headersFor(origin),
            'access-control-allow-methods': 'GET, POST',
            'access-control-allow-headers': ALLOWED_HEADERS,
            'access-control-max-age': '7200',
          }
        : vary,
    refuseBlindRequest(headers) {
      if (!isForeignPage(headers, publicUrl) || isAllowed(oneHeader(headers, 'origin')) || wasAskedFirst(headers))
        return;
      throw new RequestError(403, 'A page of another origin may not send this request.');
    },
  };
}

/**
 * Browsers say so in headers that pages cannot forge. `Sec-Fetch-Site` is missing where the connection is not secure
 * and from old browsers; then `Origin` says it. A client that sends neither, such as Excel or curl, is no page.
 */
function isForeignPage(headers: RequestHeaders, publicUrl: string | null): boolean {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== publicUrl && !isOfHost(String(origin), oneHeader(headers, 'host'));
}

function isOfHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** A JSON body or a header of ours makes a browser send a preflight; then the origin was allowed already. */
function wasAskedFirst(headers: RequestHeaders): boolean {
  return (
    /^application\/json\b/i.test(oneHeader(headers, 'content-type') ?? '') ||
    headers['x-passerelle-csrf'] !== undefined ||
    headers['x-apollo-operation-name'] !== undefined
  );
}
