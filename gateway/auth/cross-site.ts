import { RequestError } from '../../runtime/http/request-error.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';

/** The pages that may use the session of a browser. */
export interface TrustedPages {
  /** Whether an origin is in `CORS_ORIGINS`. */
  allows(origin: string): boolean;
  /** Our own origin, which is known once the gateway listens. */
  ownOrigin(): string;
}

/**
 * Refuses cross-site request forgery: throws a RequestError unless the page is our own or an allowed one, and the
 * request has a JSON body or our header, or opens a link.
 */
export function refuseForgedRequest(headers: RequestHeaders, pages: TrustedPages): void {
  refuseForeignPage(headers, pages);
  if (hasOurHeader(headers) || isJson(headers) || opensLink(headers)) return;
  throw new RequestError(403, 'A request with a session needs a JSON body or the header x-passerelle-csrf: 1.');
}

/** The same, but the header is required. */
export function refuseForgedLogout(headers: RequestHeaders, pages: TrustedPages): void {
  refuseForeignPage(headers, pages);
  if (hasOurHeader(headers)) return;
  throw new RequestError(403, 'To log out, send the header x-passerelle-csrf: 1.');
}

/** Judged by headers that pages cannot forge; a client that sends neither is not a browser. */
function refuseForeignPage(headers: RequestHeaders, { allows, ownOrigin }: TrustedPages): void {
  const origin = oneHeader(headers, 'origin');
  const site = oneHeader(headers, 'sec-fetch-site');
  const isOwnPage = origin === undefined || origin === ownOrigin();
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if ((origin !== undefined && allows(origin)) || (isOwnPage && isOwnSite)) return;
  throw new RequestError(403, 'A page of another origin may not use the session of this browser.');
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

/** The default target after a login. */
const HOME = '/';

/** In characters: enough for any path of our pages, which may contain an analyst's query. */
const MAX_LENGTH = 2_000;

/**
 * Where a browser is redirected to after a login: a local path with query and fragment, or a page of an allowed origin.
 * It is `/` for anything that may lead elsewhere, percent-encoded or not: another scheme or origin, `//`, a backslash,
 * control characters (waste-identity 10.1); and for the login's own routes, which would loop.
 */
export function readReturnTo(wanted: string | null | undefined, allows: TrustedPages['allows']): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH) return HOME;
  const named = /^https?:\/\/[^/]+(?=\/)/.exec(wanted)?.[0];
  const origin = named !== undefined && allows(named) ? named : undefined;
  const path = readPath(wanted.slice(origin?.length ?? 0));
  if (path === null) return HOME;
  if (origin !== undefined) return `${origin}${path}`;
  return decodeFully(pathOf(path))?.startsWith('/auth/') === false ? path : HOME;
}

/** Path, query and fragment, resolved as a browser does; null if they may lead to another site. */
function readPath(wanted: string): string | null {
  const decoded = isPlain(wanted) ? decodeFully(pathOf(wanted)) : null;
  if (decoded === null || !isPlain(decoded)) return null;
  const url = new URL(wanted, ANYWHERE);
  return url.origin === ANYWHERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : null;
}

const ANYWHERE = 'https://anywhere.invalid';

/** Characters that are invisible or that browsers strip. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** One slash at the start, no second one and no backslash in the path, nothing invisible anywhere. */
function isPlain(text: string): boolean {
  const path = pathOf(text);
  return path.startsWith('/') && !path.includes('//') && !path.includes('\\') && !INVISIBLE.test(text);
}

function pathOf(text: string): string {
  return text.split(/[?#]/, 1)[0] ?? '';
}

/** The path decoded until it no longer changes; null if it is malformed or encoded too often. */
function decodeFully(path: string): string | null {
  let text = path;
  for (let round = 0; round < 5; round += 1) {
    try {
      const decoded = decodeURIComponent(text);
      if (decoded === text) return text;
      text = decoded;
    } catch {
      return null;
    }
  }
  return null;
}
