import { parseCookie, stringifySetCookie } from 'cookie';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';

/** 32 random bytes in base64url: the only content of our cookies (waste-identity 10.4). */
const OPAQUE = /^[\w-]{43}$/;

/** Pending logins per browser, each in a tab; the oldest is dropped first (waste-identity 10.1). */
const LOGINS_PER_BROWSER = 5;

/** The two cookies of a browser: one for its session, one for its pending logins. */
export interface Cookies {
  /** The session id that the browser sent; null if there is none or it is malformed. */
  session(headers: RequestHeaders): string | null;
  /** The pending logins of this browser, newest first. */
  logins(headers: RequestHeaders): readonly string[];
  /** `Set-Cookie` with the session, until the browser is closed. */
  setSession(id: string): string;
  clearSession(): string;
  /** `Set-Cookie` with one more login. */
  addLogin(id: string, headers: RequestHeaders): string;
  /** `Set-Cookie` without one login. */
  removeLogin(id: string, headers: RequestHeaders): string;
}

/**
 * Creates the cookies of one origin. On https, `__Host-` binds them to it (waste-identity 10.4); over http, on
 * loopback, they have no prefix. `loginMs` is how long a login may take.
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
    // Lax: the callback is a cross-site navigation, for which Strict would withhold the cookie.
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
    // Strict: pages of other sites can never use it; our own pages fetch the session by script.
    setSession: (id) => stringifySetCookie(sessionName, id, { ...common, sameSite: 'strict' }),
    clearSession: () => stringifySetCookie(sessionName, '', { ...common, sameSite: 'strict', maxAge: 0 }),
    addLogin: (id, headers) => writeLogins([id, ...logins(headers)].slice(0, LOGINS_PER_BROWSER)),
    removeLogin: (id, headers) => writeLogins(logins(headers).filter((other) => other !== id)),
  };
}
