import type { GraphQLFormattedError } from 'graphql';
import type { Credential } from '../../kernel/operation.js';
import type { MintCredential } from '../../runtime/credentials/credentials.js';
import { oneHeader, type RequestHeaders, readTraceparent } from '../../runtime/http/request-headers.js';
import { mayTrace, readCredentials, type TracePolicy } from '../request/request.js';
import type { Recognised } from './caller-limits.js';

/** The session that a GraphQL request uses. */
export interface CallerSession {
  /** The user's platform token; null if it was revoked or cannot be looked up. */
  readonly credential: Credential | null;
  /** Keyed hash of the user, the same in all of their sessions; null if the session cannot be looked up. */
  readonly user: string | null;
  /** The errors as the caller should see them. If the platform refused the token, the session is marked "reconnect". */
  settle(errors: ListedErrors): Promise<ListedErrors>;
}

type ListedErrors = readonly GraphQLFormattedError[] | undefined;

/** Who sent a request, and what they may see. */
export interface Caller extends Recognised {
  readonly traced: boolean;
  /** The session whose token the caller uses; null if none. */
  readonly session: CallerSession | null;
  /** The trace that the request is part of (`traceparent`); undefined if it names none. */
  readonly traceparent: string | undefined;
}

/** What callers are identified with. */
export interface CallerIdentification {
  /** Finds the session of a cookie, as logging in does; null if that is not configured. */
  readonly identity: { sessionOf(headers: RequestHeaders, requestId: string): Promise<CallerSession | null> } | null;
  readonly mintCredential: MintCredential;
  readonly trace: TracePolicy;
}

/** The caller by the keys in the headers alone. */
export function readCaller({ mintCredential, trace }: CallerIdentification, headers: RequestHeaders): Caller {
  const credentials = readCredentials(headers, mintCredential);
  const traced = mayTrace(trace, oneHeader(headers, 'x-passerelle-trace'));
  return { traced, session: null, credentials, user: null, traceparent: readTraceparent(headers) };
}

/** The same, or else by the session in the cookie. Rejects with a RequestError for a page that may not use it. */
export async function identifyCaller(
  { identity }: CallerIdentification,
  caller: Caller,
  { headers, id }: { readonly headers: RequestHeaders; readonly id: string },
): Promise<Caller> {
  // A caller's own token takes precedence over their cookie, which is then ignored.
  if (identity === null || caller.credentials['waste-identity'] !== null) return caller;
  const session = await identity.sessionOf(headers, id);
  if (session === null) return caller;
  const credentials = { ...caller.credentials, 'waste-identity': session.credential };
  return { ...caller, session, credentials, user: session.user };
}
