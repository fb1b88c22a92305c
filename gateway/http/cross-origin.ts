import { oneHeader, type RequestHeaders } from '../../runtime/request-headers.js';
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
  /** Headers for the answer to the question whether a request may be sent. */
  preflightHeadersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /**
   * Throws a RequestError for a request that a page of a foreign origin made its browser send without asking first.
   * The answer would stay hidden from that page, but the operator's quota would be spent on it.
   */
  refuseBlindRequest(headers: RequestHeaders): void;
}

/** The rules for a list of exact origins; our own pages are not cross-origin and need no entry. */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
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
      if (!isForeignPage(headers) || isAllowed(oneHeader(headers, 'origin')) || wasAskedFirst(headers)) return;
      throw new RequestError(403, 'A page of another origin may not send this request.');
    },
  };
}

/** Browsers say so in a header that pages cannot forge; who sends none is no browser, or an old one. */
function isForeignPage(headers: RequestHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** A JSON body or a header of ours makes a browser ask before it sends; then the origin was allowed already. */
function wasAskedFirst(headers: RequestHeaders): boolean {
  return (
    /^application\/json\b/i.test(oneHeader(headers, 'content-type') ?? '') ||
    headers['x-passerelle-csrf'] !== undefined ||
    headers['x-apollo-operation-name'] !== undefined
  );
}
