import {
  AuthorizationResponseError,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isRecord } from '../../../kernel/text.js';
import type { Upstream, UpstreamResponse } from '../../rest/upstream.js';
import type { MutationWasteExchangeArgs, WasteAuthorization, WasteExchange } from '../__generated__/resolvers.js';

/** What logging in needs besides the platform's API. */
export interface AuthorizationOptions {
  /** Base address of the platform's pages, where people log in. */
  readonly authUrl: string;
  /** Identifier of our client application there. */
  readonly clientId: string;
}

/** The authorization-code flow, the only one that the platform offers (waste-identity 12.1). */
export type AuthorizationClient = ReturnType<typeof createAuthorizationClient>;

/**
 * The platform as the library knows it. The library never calls these addresses: the call goes through the REST
 * toolkit, which knows the real one. The platform sends no `iss`, so any `iss` that arrives is not from it.
 */
const SERVER: AuthorizationServer = {
  issuer: 'https://waste-identity.invalid',
  token_endpoint: 'https://waste-identity.invalid/oauth2/token',
};

/** Adds nothing: the dialect writes the client's credentials, which the platform does not percent-decode (4.1). */
const AUTHENTICATED_BY_DIALECT: ClientAuth = () => {};

const DENIED: WasteExchange = { denied: true, accessToken: null, email: null, name: null };

/** A stateless client: storing the state and verifier of a login is up to the caller. */
export function createAuthorizationClient(upstream: Upstream, { authUrl, clientId }: AuthorizationOptions) {
  const client: Client = { client_id: clientId };
  return {
    start: (redirectUri: string) => startLogin({ authUrl, clientId, redirectUri }),
    /** Ends a login, with the query string of the callback; all but `denied` is null when the user refused. */
    async exchange(login: MutationWasteExchangeArgs, operation: OperationContext): Promise<WasteExchange> {
      const { callback, redirectUri, state, codeVerifier } = login;
      const parameters = readCallback(callback, client, state);
      if (parameters === 'denied') return DENIED;
      const send = async (_url: string, { body }: { readonly body?: unknown }) => {
        const fields = [...new URLSearchParams(String(body))];
        return asResponse(await upstream.call(requestToken(fields), operation));
      };
      const response = await authorizationCodeGrantRequest(
        SERVER,
        client,
        AUTHENTICATED_BY_DIALECT,
        parameters,
        redirectUri,
        codeVerifier,
        { [customFetch]: send },
      );
      return readToken(await processAuthorizationCodeResponse(SERVER, client, response).catch(refuseToken));
    },
  };
}

async function startLogin(login: AuthorizationOptions & { readonly redirectUri: string }): Promise<WasteAuthorization> {
  const state = generateRandomState();
  const codeVerifier = generateRandomCodeVerifier();
  const address = new URL(`${login.authUrl.replace(/\/+$/, '')}/oauth2/authorize/dialog`);
  address.search = new URLSearchParams({
    client_id: login.clientId,
    response_type: 'code',
    redirect_uri: login.redirectUri,
    state,
    // The platform ignores this today. Sent all the same, so that it works once it is checked (waste-identity 10.1).
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }).toString();
  return { address: address.href, state, codeVerifier };
}

function requestToken(form: readonly (readonly [name: string, value: string])[]) {
  return {
    method: 'POST',
    template: '/oauth2/token',
    path: '/oauth2/token',
    form,
    cache: 'never',
    key: 'operator',
    confidential: true,
    parse: ({ json }: UpstreamResponse): unknown => json,
  } as const;
}

/** A token response has a few hundred bytes. */
const MAX_RESPONSE_BYTES = 16_384;

function asResponse(json: unknown): Response {
  const text = JSON.stringify(json ?? null);
  if (text.length > MAX_RESPONSE_BYTES) throw invalidResponse();
  return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
}

/** The library's error contains the response, and thus the token: neither may reach a log. */
function refuseToken(): never {
  throw invalidResponse();
}

function readToken({ access_token: accessToken, user }: TokenEndpointResponse): WasteExchange {
  // It is sent in a header later, so it must not contain anything that ends one.
  if (!/^[\x21-\x7e]{1,4096}$/.test(accessToken)) throw invalidResponse();
  const person = isRecord(user) ? user : {};
  return { denied: false, accessToken, email: textOrNull(person['email']), name: textOrNull(person['name']) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function invalidResponse(): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', 'The waste platform sent an unknown response to the login.', {
    service: 'waste-identity',
  });
}

/** Parameters that a callback may have; the platform sends the first three (waste-identity 3.4). */
const SINGLE = ['code', 'state', 'error', 'error_description', 'iss'];

/**
 * The parameters of a callback that belongs to this login, in the form that the exchange needs; `denied` when the user
 * refused. Throws `BAD_USER_INPUT` for a callback that is forged, stale or of another login, and
 * `UPSTREAM_REFUSED_INPUT` for any other error that it reports (waste-identity 10.2).
 */
function readCallback(callback: string, client: Client, state: string): URLSearchParams | 'denied' {
  const parameters = new URLSearchParams(callback);
  if (!isWellFormed(parameters)) throw notOurs();
  try {
    return validateAuthResponse(SERVER, client, parameters, state);
  } catch (error) {
    // The library verifies the state before it reads the error.
    if (!(error instanceof AuthorizationResponseError)) throw notOurs();
    if (error.error === 'access_denied') return 'denied';
    throw new CodedError('UPSTREAM_REFUSED_INPUT', 'The waste platform ended the login with an error.', {
      service: 'waste-identity',
    });
  }
}

/** Printable text. The code has 16 characters and our state 43, so the limit is generous. */
const SANE = /^[\x20-\x7e\u00a0-\uffff]{0,1000}$/;

/** The library accepts a repeated `code`, and has no limit on lengths. */
function isWellFormed(parameters: URLSearchParams): boolean {
  const isSingle = SINGLE.every((name) => parameters.getAll(name).length <= 1);
  const isSane = SINGLE.every((name) => SANE.test(parameters.get(name) ?? ''));
  return isSingle && isSane && parameters.has('code') !== parameters.has('error') && parameters.get('code') !== '';
}

function notOurs(): CodedError {
  return new CodedError('BAD_USER_INPUT', 'This is not the response to the login that was started here.');
}
