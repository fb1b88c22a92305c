import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import { type CallerCredentials, createGatewayRequest, type GatewayRequest } from '../request/request.js';
import type { Platform } from './platform.js';
import type { Sessions } from './sessions.js';
import type { Transaction, Transactions } from './transactions.js';

/** The platform of these logins; another one would have its own callback (waste-identity 10.1). */
const UPSTREAM = 'waste-identity';

/** What logins are created from. */
export interface LoginOptions {
  readonly platform: Platform;
  readonly transactions: Transactions;
  readonly sessions: Sessions;
  readonly mintCredential: MintCredential;
  /** Milliseconds for the start and for the end of a login. */
  readonly deadlineMs: number;
  /** The URL of our callback, as registered with the platform. */
  redirectUri(): string;
}

/** How a login ended. */
export type LoginOutcome =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly loginId: string; readonly returnTo: string }
  | { readonly kind: 'failed'; readonly loginId: string; readonly returnTo: string; readonly error: unknown }
  | { readonly kind: 'connected'; readonly loginId: string; readonly returnTo: string; readonly sessionId: string };

/** The authorization-code flow. Failures of the platform are CodedErrors. */
export interface Logins {
  /** Starts a login: `id` goes into the browser's cookie, `address` is where to redirect it. */
  start(start: LoginStart): Promise<{ readonly id: string; readonly address: string }>;
  /** Ends a login with the callback of a browser and the ids of its pending logins. */
  end(callback: LoginCallback): Promise<LoginOutcome>;
}

/** What a login starts with. */
export interface LoginStart {
  readonly requestId: string;
  /** Local path or page of an allowed origin, already checked. */
  readonly returnTo: string;
  /** Key of the session that the new one replaces. */
  readonly replaces: string | null;
}

/** The request that ends a login. */
export interface LoginCallback {
  readonly requestId: string;
  readonly ids: readonly string[];
  /** The raw query string. */
  readonly query: string;
}

/** Creates logins from a platform, transactions and sessions. */
export function createLogins(options: LoginOptions): Logins {
  const { platform, transactions, sessions, mintCredential } = options;

  return {
    async start({ requestId, returnTo, replaces }) {
      const redirectUri = options.redirectUri();
      const asNobody = internalRequest(requestId, options.deadlineMs, NOBODY);
      const { address, state, codeVerifier } = await thenFinish(asNobody, platform.start(redirectUri, asNobody));
      const login = { upstream: UPSTREAM, state, codeVerifier, redirectUri, returnTo, replaces };
      return { id: await transactions.start(login), address };
    },

    async end({ requestId, ids, query }) {
      const [state, ...more] = new URLSearchParams(query).getAll('state');
      if (state === undefined || more.length > 0) return { kind: 'unknown' };
      // Consumed before the exchange, whatever its outcome: two simultaneous callbacks make one exchange.
      const taken = await transactions.take(ids, state, UPSTREAM);
      if (taken === null) return { kind: 'unknown' };
      const { id: loginId, login } = taken;
      const { returnTo } = login;
      try {
        const sessionId = await connect(login, requestId, query);
        return sessionId === null
          ? { kind: 'refused', loginId, returnTo }
          : { kind: 'connected', loginId, returnTo, sessionId };
      } catch (error) {
        return { kind: 'failed', loginId, returnTo, error };
      }
    },
  };

  /** Exchanges the code and opens a session; null if the user denied access. */
  async function connect(login: Transaction, requestId: string, callback: string): Promise<string | null> {
    const asNobody = internalRequest(requestId, options.deadlineMs, NOBODY);
    const exchanged = await thenFinish(asNobody, platform.exchange({ ...login, callback }, asNobody));
    if (exchanged === null) return null;
    const { token, user } = exchanged;
    const owner = { ...NOBODY, [UPSTREAM]: mintCredential(token.reveal()) };
    const asOwner = internalRequest(requestId, asNobody.remainingMs(), owner);
    const subject = await thenFinish(asOwner, platform.identify(asOwner));
    const sessionId = await sessions.open({ upstream: UPSTREAM, subject, user, token });
    await endReplacedSession(login);
    return sessionId;
  }

  async function endReplacedSession({ replaces }: Transaction): Promise<void> {
    if (replaces !== null) await sessions.end(replaces);
  }
}

const NOBODY: CallerCredentials = { 'work-study': null, 'waste-identity': null, volunteering: null };

function internalRequest(id: string, deadlineMs: number, credentials: CallerCredentials): GatewayRequest {
  return createGatewayRequest({ id, callerId: 'gateway', deadlineMs, credentials, recordCalls: false, internal: true });
}

async function thenFinish<T>(gatewayRequest: GatewayRequest, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    gatewayRequest.finish();
  }
}
