import { createHash, randomBytes } from 'node:crypto';
import { CodedError } from '../../kernel/errors.js';
import { fromEachService } from '../../kernel/services.js';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { isOurCode } from '../../runtime/errors.js';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { SubgraphRequest } from '../../runtime/subgraph-execution.js';
import { type CallerCredentials, createGatewayRequest, type GatewayRequest } from '../request/request.js';
import type { Source } from '../subgraphs/source.js';
import type { Sessions, SessionUser, TokenVault } from './sessions.js';

/** The platform of these logins; another one would have its own callback (waste-identity 10.1). */
const UPSTREAM = 'waste-identity';

/** What logins are created from. */
interface LoginOptions {
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
type LoginOutcome =
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
interface LoginStart {
  readonly requestId: string;
  /** Local path or page of an allowed origin, already checked. */
  readonly returnTo: string;
  /** Key of the session that the new one replaces. */
  readonly replaces: string | null;
}

/** The request that ends a login. */
interface LoginCallback {
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

const NOBODY: CallerCredentials = fromEachService(() => null);

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

/** The start of a login, from the subgraph. */
interface Authorization {
  readonly address: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** What the exchange needs: the values that the login started with, and the query string of the callback. */
interface Callback {
  readonly callback: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** The waste platform for logins: each call is one operation on the waste-identity subgraph. */
interface Platform {
  start(redirectUri: string, gatewayRequest: GatewayRequest): Promise<Authorization>;
  /** The token and its user; null if the user denied access. Rejects with a CodedError. */
  exchange(callback: Callback, gatewayRequest: GatewayRequest): Promise<{ token: Secret; user: SessionUser } | null>;
  /**
   * Identifier of the user of the caller's token: the token response itself proves no identity (waste-identity 10.3).
   */
  identify(gatewayRequest: GatewayRequest): Promise<string>;
}

const START = `query StartLogin($redirectUri: URI!) {
  wasteAuthorization(redirectUri: $redirectUri) { address state codeVerifier }
}`;

const EXCHANGE = `mutation EndLogin($callback: String!, $redirectUri: URI!, $state: String!, $codeVerifier: String!) {
  wasteExchange(callback: $callback, redirectUri: $redirectUri, state: $state, codeVerifier: $codeVerifier) {
    denied
    accessToken
    email
    name
  }
}`;

const IDENTIFY = 'query Identify { viewer { id } }';

/** Creates a platform that queries the source directly: the planner does not know these fields (architecture 7). */
export function createPlatform(source: Source): Platform {
  return {
    async start(redirectUri, gatewayRequest) {
      const operation = { query: START, variables: { redirectUri } };
      const { address, state, codeVerifier } = await query(
        source,
        { ...operation, field: 'wasteAuthorization' },
        gatewayRequest,
      );
      return { address: text(address), state: text(state), codeVerifier: text(codeVerifier) };
    },
    async exchange(callback, gatewayRequest) {
      const operation = { query: EXCHANGE, variables: { ...callback } };
      const { denied, accessToken, name, email } = await query(
        source,
        { ...operation, field: 'wasteExchange' },
        gatewayRequest,
      );
      if (denied === true) return null;
      return { token: new Secret(text(accessToken)), user: { name: textOrNull(name), email: textOrNull(email) } };
    },
    async identify(gatewayRequest) {
      const { id } = await query(source, { query: IDENTIFY, field: 'viewer' }, gatewayRequest);
      return text(id);
    },
  };
}

/** The value of the only root field. Rejects with its error as a CodedError. */
async function query(
  source: Source,
  { field, ...request }: SubgraphRequest & { readonly field: string },
  gatewayRequest: GatewayRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await source.execute(request, gatewayRequest, PLAN_NODE);
  const [error] = errors ?? [];
  if (error !== undefined) {
    const { code, retryAfterSeconds } = error.extensions ?? {};
    throw new CodedError(isOurCode(code) ? code : 'INTERNAL', error.message, {
      service: 'waste-identity',
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    });
  }
  const value = data?.[field];
  if (typeof value !== 'object' || value === null) throw unreadable();
  return { ...value };
}

/** The plan node of recorded calls: these operations are part of no client's plan. */
const PLAN_NODE = 'login';

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unreadable();
  return value;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function unreadable(): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', 'The response to the login cannot be read.', {
    service: 'waste-identity',
  });
}

/** How long a login may take: the lifetime of a code (waste-identity 12.8.1). */
export const LOGIN_MS = 10 * 60_000;

/** What is stored between the start and the end of a login (waste-identity 10.1). */
interface Transaction {
  /** The platform: its response is accepted at its own callback only. */
  readonly upstream: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Local path or page of an allowed origin, already checked. */
  readonly returnTo: string;
  /** Key of the browser's previous session, which ends when the login succeeds, against session fixation. */
  readonly replaces: string | null;
}

/** Pending logins, each for one browser and one use. */
export interface Transactions {
  /** Stores a login; returns its id for the browser's cookie. */
  start(transaction: Transaction): Promise<string>;
  /**
   * Removes the login with this state and one of these ids from the store, so that it can be used only once. Null if
   * there is none or it has expired. A wrong state consumes nothing.
   */
  take(ids: readonly string[], state: string, upstream: string): Promise<{ id: string; login: Transaction } | null>;
}

/** What transactions are created from. */
interface TransactionsOptions {
  readonly store: ExactStore;
  readonly vault: TokenVault;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Creates transactions in a store, keyed by a hash of browser id, state and platform: only a request with all three
 * finds one, in a single look-up whose timing reveals nothing (waste-identity 10.2).
 */
export function createTransactions({ store, vault, now }: TransactionsOptions): Transactions {
  return {
    async start(transaction) {
      const id = randomBytes(32).toString('base64url');
      const key = keyOf(id, transaction.state, transaction.upstream);
      const text = JSON.stringify({ ...transaction, startedAt: now() });
      await store.set(key, vault.seal(text, [key]), LOGIN_MS);
      return id;
    },
    async take(ids, state, upstream) {
      for (const id of ids) {
        const key = keyOf(id, state, upstream);
        const sealed = await store.take(key);
        const text = sealed === undefined ? null : vault.open(sealed, [key]);
        if (text === null) continue;
        // The vault only opens what `start` sealed.
        const { startedAt, ...login } = JSON.parse(text) as Transaction & { readonly startedAt: number };
        return now() - startedAt <= LOGIN_MS ? { id, login } : null;
      }
      return null;
    },
  };
}

function keyOf(id: string, state: string, upstream: string): string {
  return `login:${createHash('sha256')
    .update(JSON.stringify([id, state, upstream]))
    .digest('base64url')}`;
}
