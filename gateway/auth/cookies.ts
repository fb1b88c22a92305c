import { parseCookie, stringifySetCookie } from 'cookie';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { LOGIN_MS } from './login.js';

// The two cookies of a browser: one for its session, until it is closed, and one for its pending logins. On https
// (`secure`), `__Host-` binds them to our origin (waste-identity 10.4); over http, on loopback, they have no prefix.

/** 32 random bytes in base64url: the only content of our cookies (waste-identity 10.4). */
const OPAQUE = /^[\w-]{43}$/;

/** Pending logins per browser, each in a tab; the oldest is dropped first (waste-identity 10.1). */
const LOGINS_PER_BROWSER = 5;

/** The session id that the browser sent; null if there is none or it is malformed. */
export function sessionIn(headers: RequestHeaders, secure: boolean): string | null {
  const id = cookieIn('passerelle', headers, secure);
  return id !== undefined && OPAQUE.test(id) ? id : null;
}

/** The pending logins of this browser, newest first. */
export function loginsIn(headers: RequestHeaders, secure: boolean): readonly string[] {
  const ids = cookieIn('passerelle-login', headers, secure)?.split('.') ?? [];
  return ids.filter((id) => OPAQUE.test(id)).slice(0, LOGINS_PER_BROWSER);
}

/** `Set-Cookie` with a session; null clears it. */
export function sessionCookie(id: string | null, secure: boolean): string {
  // Strict: pages of other sites can never use it; our own pages fetch the session by script.
  const options = { ...common(secure), sameSite: 'strict', ...(id === null && { maxAge: 0 }) } as const;
  return stringifySetCookie(nameOf('passerelle', secure), id ?? '', options);
}

/** `Set-Cookie` with pending logins, newest first, of which the oldest may be dropped; none clears it. */
export function loginsCookie(ids: readonly string[], secure: boolean): string {
  const maxAge = ids.length === 0 ? 0 : LOGIN_MS / 1000;
  // Lax: the callback is a cross-site navigation, for which Strict would withhold the cookie.
  const options = { ...common(secure), sameSite: 'lax', maxAge } as const;
  return stringifySetCookie(nameOf('passerelle-login', secure), ids.slice(0, LOGINS_PER_BROWSER).join('.'), options);
}

function cookieIn(name: string, headers: RequestHeaders, secure: boolean): string | undefined {
  return parseCookie(oneHeader(headers, 'cookie') ?? '')[nameOf(name, secure)];
}

function nameOf(name: string, secure: boolean): string {
  return `${secure ? '__Host-' : ''}${name}`;
}

function common(secure: boolean) {
  return { httpOnly: true, secure, path: '/' } as const;
}
