import { SERVICES } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders, readTraceparent } from '../../runtime/http/request-headers.js';
import type { CallerSession } from '../auth/index.js';
import type { Recognised } from '../callers/caller-ids.js';
import { readCredentials } from '../request/request.js';
import { mayTrace } from '../request/trace.js';
import type { Endpoint } from './endpoint.js';

/** Who sent a request, and what they may see. */
export interface Caller extends Recognised {
  readonly traced: boolean;
  /** The session whose token the caller uses; null if none. */
  readonly session: CallerSession | null;
  /** The trace that the request is part of (`traceparent`); undefined if it names none. */
  readonly traceparent: string | undefined;
}

/**
 * Identifies the sender of the request with this id by the keys in its headers, or else by the session in its cookie;
 * synchronously unless a session has to be looked up. Throws a RequestError, or rejects with one.
 */
export function identify(
  { identity, mintCredential, trace }: Endpoint,
  headers: RequestHeaders,
  requestId: string,
): Caller | Promise<Caller> {
  const traced = mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
  const traceparent = readTraceparent(headers);
  const sent = readCredentials(headers, mintCredential);
  // A caller's own token takes precedence over their cookie, which is then ignored.
  const usesSession = sent['waste-identity'] === null && identity?.mayHaveSession(headers) === true;
  if (!usesSession) return { traced, session: null, credentials: sent, user: null, traceparent };
  return identity.sessionOf(headers, requestId).then((session) => {
    const credentials = session === null ? sent : { ...sent, 'waste-identity': session.credential };
    return { traced, session, credentials, user: session?.user ?? null, traceparent };
  });
}

/** Request headers that make a response describe its own execution: such a response is for its caller alone. */
const OF_ONE_CALLER = ['x-passerelle-trace', 'x-passerelle-calls', 'x-passerelle-dry-run'] as const;

/**
 * Until when caches may store a response that is fresh until then; null for one that depends on a credential of its
 * caller, or reveals one.
 */
export function sharedUntil(
  { credentials }: Caller,
  headers: RequestHeaders,
  freshUntilMs: number | null,
): number | null {
  const isForEveryone =
    SERVICES.every((service) => credentials[service] === null) &&
    OF_ONE_CALLER.every((name) => oneHeader(headers, name) === undefined);
  return isForEveryone ? freshUntilMs : null;
}
