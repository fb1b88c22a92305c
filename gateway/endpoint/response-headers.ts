import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { cacheControl, VARY } from '../http/shared-caching.js';
import type { Subgraphs } from '../remote/subgraphs.js';

/** What the headers of a response need from its request. */
interface IncomingRequest {
  readonly id: string;
  readonly headers: RequestHeaders;
}

/**
 * The headers of a response that may be cached until `freshUntilMs`, in milliseconds since 1970; null forbids caching.
 */
export type ResponseHeaders = (request: IncomingRequest, freshUntilMs: number | null) => Record<string, string>;

/** Creates them for an endpoint, with CORS headers from `crossOrigin`. */
export function createResponseHeaders(crossOrigin: CrossOrigin, subgraphs: Subgraphs): ResponseHeaders {
  return ({ id, headers }, freshUntilMs) => {
    const own = {
      vary: VARY,
      'cache-control': cacheControl(freshUntilMs),
      'x-request-id': id,
      'x-passerelle-upstreams': subgraphs.upstreams(),
    };
    const origin = oneHeader(headers, 'origin');
    return origin === undefined ? own : { ...crossOrigin.headersFor(origin), ...own };
  };
}
