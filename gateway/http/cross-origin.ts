import { CREDENTIAL_HEADERS } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { RequestError } from '../request/request-error.js';

/** Request headers that pages of allowed origins may send. */
const ALLOWED_HEADERS = [
  'content-type',
  'traceparent',
  'x-apollo-operation-name',
  'x-passerelle-calls',
  'x-passerelle-csrf',
  'x-passerelle-dry-run',
  'x-passerelle-trace',
  'x-request-id',
  ...CREDENTIAL_HEADERS,
].join(', ');

/** Response headers that such pages may read. */
const EXPOSED_HEADERS = [
  'cache-status',
  'content-disposition',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-passerelle-calls-estimated',
  'x-passerelle-calls-made',
  'x-passerelle-errors',
  'x-passerelle-incomplete',
  'x-passerelle-omitted-lists',
  'x-passerelle-upstreams',
  'x-request-id',
].join(', ');

/** CORS for the origins in `CORS_ORIGINS`. */
export interface CrossOrigin {
  /** CORS headers for the response to a request with this `Origin`. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Headers for the response to a preflight. */
  preflightHeadersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /**
   * Throws a RequestError for a request without preflight from a page of a foreign origin. The page could not read the
   * response, but the request would use up the operator's quota.
   */
  refuseBlindRequest(headers: RequestHeaders): void;
}

/**
 * Creates the rules for a list of exact origins; the gateway's own pages need no entry. `publicUrl` is the origin that
 * browsers see, in case a proxy changes the `Host` header.
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
      if (!isForeignPage(headers, publicUrl) || isAllowed(oneHeader(headers, 'origin')) || hadPreflight(headers))
        return;
      throw new RequestError(403, 'A page of another origin may not send this request.');
    },
  };
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
