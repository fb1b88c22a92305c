import { CodedError } from '../../kernel/errors.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { isOurCode } from '../../runtime/errors/safe-errors.js';
import type { SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import type { GatewayRequest } from '../request/request.js';
import type { Source } from '../subgraphs/source.js';
import type { SessionUser } from './sessions.js';

/** The start of a login, from the subgraph. */
export interface Authorization {
  readonly address: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** What the exchange needs: the values that the login started with, and the query string of the callback. */
export interface Callback {
  readonly callback: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** The waste platform for logins: each call is one operation on the waste-identity subgraph. */
export interface Platform {
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
