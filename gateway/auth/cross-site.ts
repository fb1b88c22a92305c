import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { RequestError } from '../http/request-error.js';

/** Protects requests that use a session cookie against cross-site request forgery. */
export interface CrossSiteGuard {
  /**
   * Throws a RequestError unless the page is our own or an allowed one, and the request has a JSON body or our header,
   * or opens a link.
   */
  refuseForgedRequest(headers: RequestHeaders): void;
  /** The same, but the header is required. */
  refuseForgedLogout(headers: RequestHeaders): void;
}

/** Creates a guard. `origins` are those of `CORS_ORIGINS`; `ownOrigin` is known once the gateway listens. */
export function createCrossSiteGuard(origins: readonly string[], ownOrigin: () => string): CrossSiteGuard {
  const allowed = new Set(origins);

  /** Judged by headers that pages cannot forge; a client that sends neither is not a browser. */
  function refuseForeignPage(headers: RequestHeaders): void {
    const origin = oneHeader(headers, 'origin');
    const site = oneHeader(headers, 'sec-fetch-site');
    const isAllowedPage = origin !== undefined && allowed.has(origin);
    const isOwnPage = origin === undefined || origin === ownOrigin();
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    if (!isAllowedPage && !(isOwnPage && isOwnSite)) {
      throw new RequestError(403, 'A page of another origin may not use the session of this browser.');
    }
  }

  return {
    refuseForgedRequest(headers) {
      refuseForeignPage(headers);
      if (hasOurHeader(headers) || isJson(headers) || opensLink(headers)) return;
      throw new RequestError(403, 'A request with a session needs a JSON body or the header x-passerelle-csrf: 1.');
    },
    refuseForgedLogout(headers) {
      refuseForeignPage(headers);
      if (hasOurHeader(headers)) return;
      throw new RequestError(403, 'To log out, send the header x-passerelle-csrf: 1.');
    },
  };
}

/** Pages of other origins cannot send this header without a preflight (waste-identity 10.5). */
function hasOurHeader(headers: RequestHeaders): boolean {
  return oneHeader(headers, 'x-passerelle-csrf') === '1';
}

function isJson(headers: RequestHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(oneHeader(headers, 'content-type') ?? '');
}

/**
 * A link that the user or one of our own pages opened in a window, judged by headers that pages cannot set. Nobody else
 * sees its response, and a GET changes nothing; a form, which could send a POST, would state its content type.
 */
function opensLink(headers: RequestHeaders): boolean {
  const site = oneHeader(headers, 'sec-fetch-site');
  const isOwn = site === 'none' || site === 'same-origin';
  return (
    isOwn &&
    oneHeader(headers, 'sec-fetch-mode') === 'navigate' &&
    oneHeader(headers, 'sec-fetch-dest') === 'document' &&
    oneHeader(headers, 'content-type') === undefined
  );
}
