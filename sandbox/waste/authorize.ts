import { type ParsedUrlQuery, stringify } from 'node:querystring';
import type { ClientApplication, Platform } from './platform.js';
import { randomText, type Session, type Transaction } from './sessions.js';

/** An accepted authorization request. */
export interface OpenedTransaction {
  readonly id: string;
  readonly application: ClientApplication;
  readonly transaction: Transaction;
}

/** A refused authorization request. */
export interface AuthorizationRefusal {
  readonly status: number;
  readonly body: { readonly error: string; readonly error_description: string };
  /** Where the seed's service redirects the error (waste-identity 12.7.1); today's never does (waste-identity 3.3). */
  readonly location: string | null;
}

/**
 * Checks an authorization request and opens its transaction in the user's session (waste-identity 3.1 to 3.3): syntax
 * of response_type and client_id, then the application, then the redirect URI. Scope and PKCE are read and ignored.
 */
export function openTransaction(
  query: ParsedUrlQuery,
  { platform, session }: { readonly platform: Platform; readonly session: Session },
): OpenedTransaction | AuthorizationRefusal {
  const application = platform.applications.get(textOf(query['client_id']) ?? '');
  const redirectUri = textOf(query['redirect_uri']);
  const isOurs = redirectUri !== undefined && application?.redirectUris.includes(redirectUri) === true;
  // An empty state counts as none (waste-identity 3.1).
  const state = textOf(query['state']) || undefined;
  const refusal = syntaxProblem(query) ?? clientProblem(application, isOurs);
  if (refusal !== null || application === undefined || redirectUri === undefined) {
    const { error } = refusal?.body ?? INVALID_CLIENT.body;
    const goesBack = platform.era() === 'seed' && isOurs && redirectUri !== undefined;
    const location = goesBack ? clientRedirect(platform, { redirectUri, state }, { error }) : null;
    return { ...(refusal ?? INVALID_CLIENT), location };
  }
  const codeChallenge = textOf(query['code_challenge']);
  const transaction = { applicationId: application.id, redirectUri, state, codeChallenge };
  const id = randomText(8);
  session.transactions.set(id, transaction);
  return { id, application, transaction };
}

/** The redirect that ends a transaction, with a new code or with `access_denied` (3.4). */
export function decide(
  platform: Platform,
  transaction: Transaction,
  decision: { readonly userId: string; readonly allowed: boolean },
): string {
  if (!decision.allowed) return clientRedirect(platform, transaction, { error: 'access_denied' });
  const { applicationId, redirectUri, codeChallenge } = transaction;
  const code = platform.issueCode({ userId: decision.userId, applicationId, redirectUri, codeChallenge });
  return clientRedirect(platform, transaction, { code });
}

type Problem = Omit<AuthorizationRefusal, 'location'>;

const INVALID_CLIENT = problem(403, 'unauthorized_client', 'Invalid client id');

function syntaxProblem(query: ParsedUrlQuery): Problem | null {
  const { response_type: type, client_id: client, scope } = query;
  if (!type) return problem(400, 'invalid_request', 'Missing required parameter: response_type');
  if (type !== 'code') return problem(501, 'unsupported_response_type', `Unsupported response type: ${type}`);
  if (!client) return problem(400, 'invalid_request', 'Missing required parameter: client_id');
  if (Array.isArray(client)) return problem(400, 'invalid_request', 'Invalid parameter: client_id must be a string');
  if (Array.isArray(scope)) return problem(400, 'invalid_request', 'Invalid parameter: scope must be a string');
  return null;
}

function clientProblem(application: ClientApplication | undefined, isRegistered: boolean): Problem | null {
  if (application === undefined) return INVALID_CLIENT;
  return isRegistered ? null : problem(403, 'unauthorized_client', 'Invalid redirect uri');
}

function problem(status: number, error: string, description: string): Problem {
  return { status, body: { error, error_description: description } };
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value;
}

/**
 * The client's address with the reply appended: the redirect URI's own query, then code or error, then state. A URL
 * parser rewrites the URI, and gives an empty path its `/` (waste-identity 3.4). Switches of the platform alter `state`
 * and `iss`.
 */
function clientRedirect(
  platform: Platform,
  to: { readonly redirectUri: string; readonly state: string | undefined },
  reply: { readonly code: string } | { readonly error: string },
): string {
  const url = new URL(to.redirectUri);
  const parameters = [stringify({ ...reply }), ...stateOf(to.state, platform), ...issuerOf(url, platform)];
  url.search = [url.search.slice(1), ...parameters].filter((part) => part !== '').join('&');
  return url.href;
}

function stateOf(state: string | undefined, { switches }: Platform): string[] {
  if (state === undefined || switches.state === 'dropped') return [];
  const sent = stringify({ state: switches.state === 'altered' ? `${state}x` : state });
  return switches.state === 'duplicated' ? [sent, sent] : [sent];
}

function issuerOf(url: URL, { switches, uiUrl }: Platform): string[] {
  if (switches.iss === 'absent') return [];
  return [stringify({ iss: switches.iss === 'wrong' ? `${url.origin}/another-issuer` : uiUrl() })];
}
