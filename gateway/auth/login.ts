import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import type { CallerCredentials } from '../request/credentials.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import type { Platform } from './platform.js';
import type { Sessions } from './sessions.js';
import type { Transaction, Transactions } from './transactions.js';

/** Which platform these logins go to; others would have callbacks of their own (waste-identity 10.1). */
const UPSTREAM = 'waste-identity';

export interface LoginOptions {
  readonly platform: Platform;
  readonly transactions: Transactions;
  readonly sessions: Sessions;
  readonly mintCredential: MintCredential;
  /** Milliseconds that the start or the end of a login may take. */
  readonly deadlineMs: number;
  /** The address of our callback, as it is registered with the platform. */
  redirectUri(): string;
}

/** How a login ended. */
export type LoginEnd =
  | { readonly kind: 'not-under-way' }
  | { readonly kind: 'refused'; readonly loginId: string; readonly returnTo: string }
  | { readonly kind: 'failed'; readonly loginId: string; readonly returnTo: string; readonly error: unknown }
  | { readonly kind: 'connected'; readonly loginId: string; readonly returnTo: string; readonly sessionId: string };

/** The authorization-code flow as the gateway sees it. Where the platform fails, the error is a CodedError. */
export interface Logins {
  /** Begins a login; the id is for the browser's cookie, the address is where to send it. */
  begin(start: LoginStart): Promise<{ readonly id: string; readonly address: string }>;
  /** Ends one with the callback of a browser that brings the ids of the logins it started. */
  end(callback: LoginCallback): Promise<LoginEnd>;
}

export interface LoginStart {
  readonly requestId: string;
  /** Checked local path. */
  readonly returnTo: string;
  /** Key of the session that this one will replace. */
  readonly replaces: string | null;
}

export interface LoginCallback {
  readonly requestId: string;
  readonly ids: readonly string[];
  /** The query string as it came. */
  readonly query: string;
}

/** Joins platform, transactions and sessions to logins. */
export function createLogins(options: LoginOptions): Logins {
  const { platform, transactions, sessions, mintCredential } = options;

  return {
    async begin({ requestId, returnTo, replaces }) {
      const redirectUri = options.redirectUri();
      const caller = internalCaller(requestId, options.deadlineMs, NOBODY);
      const { address, state, codeVerifier } = await finishing(caller, platform.begin(redirectUri, caller));
      const login = { upstream: UPSTREAM, state, codeVerifier, redirectUri, returnTo, replaces };
      return { id: await transactions.begin(login), address };
    },

    async end({ requestId, ids, query }) {
      const [state, ...more] = new URLSearchParams(query).getAll('state');
      if (state === undefined || more.length > 0) return { kind: 'not-under-way' };
      // Consumed before the exchange, whatever comes of it: two simultaneous callbacks make one exchange.
      const taken = await transactions.take(ids, state, UPSTREAM);
      if (taken === null) return { kind: 'not-under-way' };
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

  /** Opens the session that a callback earns; null when the user refused. */
  async function connect(login: Transaction, requestId: string, callback: string): Promise<string | null> {
    const caller = internalCaller(requestId, options.deadlineMs, NOBODY);
    const exchanged = await finishing(caller, platform.exchange({ ...login, callback }, caller));
    if (exchanged === null) return null;
    const { token, user } = exchanged;
    const owner = { ...NOBODY, [UPSTREAM]: mintCredential(token.reveal()) };
    const asOwner = internalCaller(requestId, caller.remainingMs(), owner);
    const subject = await finishing(asOwner, platform.identify(asOwner));
    const sessionId = await sessions.open({ upstream: UPSTREAM, subject, user, token });
    await endReplaced(login);
    return sessionId;
  }

  async function endReplaced({ replaces }: Transaction): Promise<void> {
    if (replaces !== null) await sessions.end(replaces);
  }
}

const NOBODY: CallerCredentials = { 'work-study': null, 'waste-identity': null, volunteering: null };

function internalCaller(id: string, deadlineMs: number, credentials: CallerCredentials): GatewayRequest {
  return createGatewayRequest({ id, deadlineMs, credentials, recordCalls: false, internal: true });
}

async function finishing<T>(caller: GatewayRequest, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    caller.finish();
  }
}
