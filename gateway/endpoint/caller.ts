import { SERVICES } from '../../kernel/services.js';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import { oneHeader, type RequestHeaders, readTraceparent } from '../../runtime/http/request-headers.js';
import type { CallerSession, Identity } from '../auth/index.js';
import { isForOneCaller } from '../http/shared-caching.js';
import { type CallerCredentials, readCredentials } from '../request/request.js';
import { mayTrace, type TracePolicy } from '../request/trace.js';

/** Who sent a request, and what they may see. */
export interface Caller {
  readonly traced: boolean;
  readonly credentials: CallerCredentials;
  /** The session whose token the caller uses; null if none. */
  readonly session: CallerSession | null;
  /** The trace that the request is part of (`traceparent`); undefined if it names none. */
  readonly traceparent: string | undefined;
}

/** Whether the response may be shared with other callers: it depends on no credential and reveals none. */
export function isForEveryone({ credentials }: Caller, headers: RequestHeaders): boolean {
  return SERVICES.every((service) => credentials[service] === null) && !isForOneCaller(headers);
}

/** How callers are identified. */
export interface IdentificationOptions {
  /** Null if logging in is not configured. */
  readonly identity: Identity | null;
  readonly mintCredential: MintCredential;
  readonly trace: TracePolicy;
}

/**
 * Identifies the sender of the request with this id; synchronously unless a session has to be looked up. Throws a
 * RequestError, or rejects with one.
 */
export type Identify = (headers: RequestHeaders, requestId: string) => Caller | Promise<Caller>;

/** Identifies callers by the keys in their headers, or else by the session in their cookie. */
export function createIdentification({ identity, mintCredential, trace }: IdentificationOptions): Identify {
  return (headers, requestId) => {
    const traced = mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
    const traceparent = readTraceparent(headers);
    const sent = readCredentials(headers, mintCredential);
    // A caller's own token takes precedence over their cookie, which is then ignored.
    const usesSession = sent['waste-identity'] === null && identity?.mayHaveSession(headers) === true;
    if (!usesSession) return { traced, session: null, credentials: sent, traceparent };
    return identity.sessionOf(headers, requestId).then((session) => {
      const credentials = session === null ? sent : { ...sent, 'waste-identity': session.credential };
      return { traced, session, credentials, traceparent };
    });
  };
}
