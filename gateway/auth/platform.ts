import { Secret } from '../../runtime/credentials/secret.js';
import { isOurCode } from '../../runtime/errors/safe-errors.js';
import type { SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import { CodedError } from '../../schema/errors.js';
import type { GatewayRequest } from '../request/request.js';
import type { Source } from '../subgraphs/source.js';
import type { SessionUser } from './sessions.js';

/** The start of a login, as the subgraph makes it. */
export interface Authorization {
  readonly address: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** What the exchange needs: what the login started with, and the query string that the browser came back with. */
export interface Callback {
  readonly callback: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** The waste platform as logins need it: every call is one operation of the waste-identity subgraph. */
export interface Platform {
  begin(redirectUri: string, caller: GatewayRequest): Promise<Authorization>;
  /** The token and the user that came with it; null when the user refused. Throws CodedErrors. */
  exchange(callback: Callback, caller: GatewayRequest): Promise<{ token: Secret; user: SessionUser } | null>;
  /**
   * Identifier of the user whose token the caller carries: the token response proves no identity (waste-identity 10.3).
   */
  identify(caller: GatewayRequest): Promise<string>;
}

const BEGIN = `query BeginLogin($redirectUri: URI!) {
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

/** Queries a source directly, past the planner, which does not know these fields (architecture 7). */
export function createPlatform(source: Source): Platform {
  return {
    async begin(redirectUri, caller) {
      const asked = { query: BEGIN, variables: { redirectUri } };
      const { address, state, codeVerifier } = await ask(source, { ...asked, field: 'wasteAuthorization' }, caller);
      return { address: text(address), state: text(state), codeVerifier: text(codeVerifier) };
    },
    async exchange(callback, caller) {
      const asked = { query: EXCHANGE, variables: { ...callback } };
      const { denied, accessToken, name, email } = await ask(source, { ...asked, field: 'wasteExchange' }, caller);
      if (denied === true) return null;
      return { token: new Secret(text(accessToken)), user: { name: textOrNull(name), email: textOrNull(email) } };
    },
    async identify(caller) {
      const { id } = await ask(source, { query: IDENTIFY, field: 'viewer' }, caller);
      return text(id);
    },
  };
}

/** The object that the one root field gave; its error, as a CodedError, when there was one. */
async function ask(
  source: Source,
  { field, ...request }: SubgraphRequest & { readonly field: string },
  caller: GatewayRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await source.execute(request, caller, PLAN_NODE);
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

/** Where the trace and the ledger would show these operations: no client's plan holds them. */
const PLAN_NODE = 'login';

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unreadable();
  return value;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function unreadable(): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', 'The answer to the login cannot be read.', {
    service: 'waste-identity',
  });
}
