import { randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** An authorization request awaiting the user's decision (waste-identity 3.2). */
export interface Transaction {
  readonly applicationId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
}

/** A browser's session on the platform, shared by the UI and the API host. */
export interface Session {
  /** Null until the second factor is passed. */
  readonly userId: string | null;
  /** A user who has given the password but not yet the second factor, and until when they may. */
  readonly pending: { readonly userId: string; readonly until: number } | null;
  readonly transactions: Map<string, Transaction>;
  expiresAt: number;
}

/** The platform's own browser sessions. */
export interface Sessions {
  /** The live session of a request; each use extends it. */
  of(headers: IncomingHttpHeaders): Session | undefined;
  /** Ends the request's session and opens another, with its cookie: the id changes at login (waste-identity 3.6). */
  open(
    headers: IncomingHttpHeaders,
    content: Pick<Session, 'userId' | 'pending'>,
  ): { session: Session; cookie: string };
  /** Ends the request's session; returns the cookie that clears it. */
  end(headers: IncomingHttpHeaders): string;
  clear(): void;
}

const COOKIE = 'trackdechets.connect.sid';
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax';

/** Four hours, extended by each request (waste-identity 8). */
const LIFETIME_MS = 4 * 3_600_000;

/** Creates an empty set of sessions. `now` is in milliseconds since 1970. */
export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, Session>();
  return {
    of(headers) {
      const id = idOf(headers);
      const session = id === undefined ? undefined : sessions.get(id);
      if (session === undefined || session.expiresAt <= now()) return undefined;
      session.expiresAt = now() + LIFETIME_MS;
      return session;
    },
    open(headers, content) {
      sessions.delete(idOf(headers) ?? '');
      const id = randomText(32);
      const session: Session = { ...content, transactions: new Map(), expiresAt: now() + LIFETIME_MS };
      sessions.set(id, session);
      return { session, cookie: `${COOKIE}=${id}; ${ATTRIBUTES}` };
    },
    end(headers) {
      sessions.delete(idOf(headers) ?? '');
      return `${COOKIE}=; ${ATTRIBUTES}; Expires=Thu, 01 Jan 1970 00:00:00 GMT`;
    },
    clear: () => sessions.clear(),
  };
}

function idOf(headers: IncomingHttpHeaders): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=');
    if (name === COOKIE) return value;
  }
  return undefined;
}

/** The platform's alphabet: a bound in its generator excludes `9` (waste-identity 3.5). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678';

/** A random text of letters and digits, like the platform's codes (16), tokens (40) and transaction ids (8). */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
