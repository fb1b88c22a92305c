import { createHash, randomBytes } from 'node:crypto';
import { CodedError } from '../../kernel/errors.js';
import { fromEachService } from '../../kernel/services.js';
import type { MintCredential } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { isOurCode } from '../../runtime/errors.js';
import type { SubgraphFetcher } from '../remote/subgraphs.js';
import { type CallerCredentials, GatewayRequest } from '../request/request.js';
import { type SealedStore, type Sessions, type SessionUser, seal, unseal } from './sessions.js';

// The authorization-code flow (waste-identity 10). Each call of the platform is one operation on the waste-identity
// subgraph; failures of the platform are CodedErrors.

/** The platform of these logins; another one would have its own callback (waste-identity 10.1). */
const UPSTREAM = 'waste-identity';

/** How long a login may take: the lifetime of a code (waste-identity 12.8.1). */
export const LOGIN_MS = 10 * 60_000;

/** What logins run with. */
export interface LoginContext {
  /** The waste-identity subgraph. It is queried directly: the planner does not know these fields (architecture 7). */
  readonly fetcher: SubgraphFetcher;
  readonly pending: SealedStore;
  readonly sessions: Sessions;
  readonly mintCredential: MintCredential;
  /** Milliseconds for the start and for the end of a login. */
  readonly deadlineMs: number;
  /** The URL of our callback, as registered with the platform. */
  redirectUri(): string;
}

/** How a login ended; `unknown` too if it had ended before. */
type LoginOutcome =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly loginId: string; readonly returnTo: string }
  | { readonly kind: 'failed'; readonly loginId: string; readonly returnTo: string; readonly error: unknown }
  | { readonly kind: 'connected'; readonly loginId: string; readonly returnTo: string; readonly sessionId: string };

/** What is stored between the start and the end of a login (waste-identity 10.1). */
interface PendingLogin {
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

/** Starts a login: `id` goes into the browser's cookie, `address` is where to redirect it. */
export async function startLogin(
  { fetcher, pending, deadlineMs, redirectUri }: LoginContext,
  { requestId, returnTo, replaces }: Pick<PendingLogin, 'returnTo' | 'replaces'> & { readonly requestId: string },
): Promise<{ readonly id: string; readonly address: string }> {
  const uri = redirectUri();
  const start = { query: START, variables: { redirectUri: uri }, field: 'wasteAuthorization' };
  const { address, state, codeVerifier } = await query(fetcher, start, { requestId, deadlineMs });
  const own = { upstream: UPSTREAM, redirectUri: uri, returnTo, replaces };
  const id = await storePending(pending, { ...own, state: text(state), codeVerifier: text(codeVerifier) });
  return { id, address: text(address) };
}

/** The callback of a browser: the ids of its pending logins, and the raw query string. */
interface Callback {
  readonly requestId: string;
  readonly ids: readonly string[];
  readonly query: string;
}

/** Ends a login with the callback of a browser. */
export async function endLogin(context: LoginContext, callback: Callback): Promise<LoginOutcome> {
  const [state, ...more] = new URLSearchParams(callback.query).getAll('state');
  if (state === undefined || more.length > 0) return { kind: 'unknown' };
  // Consumed before the exchange, whatever its outcome: two simultaneous callbacks make one exchange.
  const taken = await takePending(context.pending, callback.ids, { state, upstream: UPSTREAM });
  if (taken === null) return { kind: 'unknown' };
  const { id: loginId, login } = taken;
  const { returnTo } = login;
  try {
    const sessionId = await connect(context, login, { requestId: callback.requestId, callback: callback.query });
    if (sessionId === null) return { kind: 'refused', loginId, returnTo };
    return { kind: 'connected', loginId, returnTo, sessionId };
  } catch (error) {
    return { kind: 'failed', loginId, returnTo, error };
  }
}

/** Exchanges the code and opens a session; null if the user denied access. */
async function connect(
  { fetcher, sessions, mintCredential, deadlineMs }: LoginContext,
  { redirectUri, state, codeVerifier, replaces }: PendingLogin,
  { requestId, callback }: { readonly requestId: string; readonly callback: string },
): Promise<string | null> {
  const endsAt = performance.now() + deadlineMs;
  const variables = { callback, redirectUri, state, codeVerifier };
  const exchange = { query: EXCHANGE, variables, field: 'wasteExchange' };
  const exchanged = await query(fetcher, exchange, { requestId, deadlineMs });
  if (exchanged['denied'] === true) return null;
  const token = new Secret(text(exchanged['accessToken']));
  const user: SessionUser = { name: textOrNull(exchanged['name']), email: textOrNull(exchanged['email']) };
  const credentials = { ...NOBODY, [UPSTREAM]: mintCredential(token.reveal()) };
  // The token response itself proves no identity (waste-identity 10.3).
  const leftMs = Math.max(0, endsAt - performance.now());
  const { id } = await query(
    fetcher,
    { query: IDENTIFY, field: 'viewer' },
    { requestId, deadlineMs: leftMs, credentials },
  );
  const sessionId = await sessions.open({ upstream: UPSTREAM, subject: text(id), user, token });
  if (replaces !== null) await sessions.end(replaces);
  return sessionId;
}

/**
 * Stores a login, sealed, and returns its id for the browser's cookie. Its key is a hash of browser id, state and
 * platform: only a request with all three finds it, in a single look-up whose timing reveals nothing (waste-identity
 * 10.2).
 */
export async function storePending({ store, keys, now }: SealedStore, login: PendingLogin): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  const key = keyOf(id, login);
  await store.set(key, seal(keys, JSON.stringify({ ...login, startedAt: now() }), [key]), LOGIN_MS);
  return id;
}

/**
 * Removes the login with this state and one of these ids from the store, so that it can be used only once. Null if
 * there is none or it has expired. A wrong state consumes nothing.
 */
export async function takePending(
  { store, keys, now }: SealedStore,
  ids: readonly string[],
  wanted: Pick<PendingLogin, 'state' | 'upstream'>,
): Promise<{ id: string; login: PendingLogin } | null> {
  for (const id of ids) {
    const key = keyOf(id, wanted);
    const sealed = await store.take(key);
    const opened = sealed === undefined ? null : unseal(keys, sealed, [key]);
    if (opened === null) continue;
    // Only what `storePending` sealed can be opened.
    const { startedAt, ...login } = JSON.parse(opened) as PendingLogin & { readonly startedAt: number };
    return now() - startedAt <= LOGIN_MS ? { id, login } : null;
  }
  return null;
}

function keyOf(id: string, { state, upstream }: Pick<PendingLogin, 'state' | 'upstream'>): string {
  return `login:${createHash('sha256')
    .update(JSON.stringify([id, state, upstream]))
    .digest('base64url')}`;
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

/** The plan node of recorded calls: these operations are part of no client's plan. */
const PLAN_NODE = 'login';

interface PlatformQuery {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The only root field. */
  readonly field: string;
}

const NOBODY: CallerCredentials = fromEachService(() => null);

interface OwnRequest {
  readonly requestId: string;
  readonly deadlineMs: number;
  /** Whose credentials it has; nobody's by default. */
  readonly credentials?: CallerCredentials;
}

/** The value of the root field, queried by a request of our own. Rejects with its error as a CodedError. */
async function query(
  fetcher: SubgraphFetcher,
  { field, ...request }: PlatformQuery,
  { requestId: id, deadlineMs, credentials = NOBODY }: OwnRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const own = { id, callerId: 'gateway', deadlineMs, credentials, recordCalls: false, internal: true };
  const gatewayRequest = new GatewayRequest(own);
  const { data, errors } = await fetcher(request, gatewayRequest, PLAN_NODE).finally(() => gatewayRequest.finish());
  const [error] = errors ?? [];
  if (error !== undefined) {
    const { code, retryAfterSeconds } = error.extensions ?? {};
    throw new CodedError(isOurCode(code) ? code : 'INTERNAL', error.message, {
      service: UPSTREAM,
      ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    });
  }
  const value = data?.[field];
  if (typeof value !== 'object' || value === null) throw unreadable();
  return { ...value };
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unreadable();
  return value;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function unreadable(): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', 'The response to the login cannot be read.', {
    service: UPSTREAM,
  });
}
