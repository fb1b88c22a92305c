import { parseCookie, stringifySetCookie } from 'cookie';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';

/** 32 random bytes in base64url: all that our cookies hold (waste-identity 10.4). */
const OPAQUE = /^[\w-]{43}$/;

/** Logins that a browser may have under way, each in a tab; the oldest is dropped first (waste-identity 10.1). */
const LOGINS_PER_BROWSER = 5;

/** The two cookies of a browser: one for its session, one for the logins that it has under way. */
export interface Cookies {
  /** The session id that the browser sent; null when it sent none of our form. */
  session(headers: RequestHeaders): string | null;
  /** The logins that this browser has begun, newest first. */
  logins(headers: RequestHeaders): readonly string[];
  /** `Set-Cookie` that keeps the session as long as the browser is open. */
  keepSession(id: string): string;
  dropSession(): string;
  /** `Set-Cookie` with one more login. */
  keepLogin(id: string, headers: RequestHeaders): string;
  /** `Set-Cookie` without a login that has ended. */
  dropLogin(id: string, headers: RequestHeaders): string;
}

/**
 * Cookies of one origin. `__Host-` binds them to it on https (waste-identity 10.4); over http, on loopback, they have
 * plain names. `loginMs` is how long a login may take.
 */
export function createCookies(secure: boolean, loginMs: number): Cookies {
  const prefix = secure ? '__Host-' : '';
  const sessionName = `${prefix}passerelle`;
  const loginName = `${prefix}passerelle-login`;
  const common = { httpOnly: true, secure, path: '/' } as const;

  const logins = (headers: RequestHeaders) => {
    const value = parseCookie(oneHeader(headers, 'cookie') ?? '')[loginName] ?? '';
    return value
      .split('.')
      .filter((id) => OPAQUE.test(id))
      .slice(0, LOGINS_PER_BROWSER);
  };
  const writeLogins = (ids: readonly string[]) =>
    // Lax: the callback is a navigation that the platform began, on which Strict would withhold the cookie.
    stringifySetCookie(loginName, ids.join('.'), {
      ...common,
      sameSite: 'lax',
      maxAge: ids.length === 0 ? 0 : loginMs / 1000,
    });
  return {
    session(headers) {
      const id = parseCookie(oneHeader(headers, 'cookie') ?? '')[sessionName];
      return id !== undefined && OPAQUE.test(id) ? id : null;
    },
    logins,
    // Strict: pages of other sites never act with it; our own pages fetch the session by script.
    keepSession: (id) => stringifySetCookie(sessionName, id, { ...common, sameSite: 'strict' }),
    dropSession: () => stringifySetCookie(sessionName, '', { ...common, sameSite: 'strict', maxAge: 0 }),
    keepLogin: (id, headers) => writeLogins([id, ...logins(headers)].slice(0, LOGINS_PER_BROWSER)),
    dropLogin: (id, headers) => writeLogins(logins(headers).filter((other) => other !== id)),
  };
}
