import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendUntyped } from '../server/express.js';
import type { Json } from '../world/types.js';
import { type Fields, fieldsOf, sendJson } from './fields.js';
import type { ClientApplication, Grant, Platform } from './platform.js';

/** The longest form that the parser accepts, in bytes (waste-identity 4.1). */
export const FORM_LIMIT = 100 * 1024;

/**
 * POST /oauth2/token (waste-identity 4): checks the client, then grant_type, code, redirect URI, the code's owner, its
 * age and its use, in this order. A failed check does not consume the code.
 */
export function handleTokenRequest(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const fields = fieldsOf(request);
  const isStandard = (platform.switches.errors ?? (platform.era() === 'seed' ? 'rfc' : 'platform')) === 'rfc';
  const client = authenticateClient(request.headers, fields, platform);
  if (typeof client === 'string') return isStandard ? refuseClientAsStandard(reply) : refuseClient(reply, client);
  const outcome = redeem(fields, client, platform);
  if ('error' in outcome) return refuseGrant(reply, outcome, isStandard);
  return sendToken(reply, outcome, platform);
}

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  /** The name in RFC 6749 5.2, where the platform's differs. */
  readonly standardError?: string;
}

/** The grant to issue a token for, marked as used; or a refusal. */
function redeem(fields: Fields, client: ClientApplication, platform: Platform): Grant | Refusal {
  const { grant_type: grantType, code } = fields;
  if (grantType !== 'authorization_code') {
    const refusal = refuse(501, 'unsupported_grant_type', `Unsupported grant type: ${grantType}`);
    return grantType === undefined ? { ...refusal, standardError: 'invalid_request' } : refusal;
  }
  if (!code) return refuse(400, 'invalid_request', 'Missing required parameter: code');
  const grant = platform.findGrant(String(code));
  if (grant === undefined) return refuse(403, 'invalid_grant', 'Invalid authorization code');
  if (fields['redirect_uri'] !== grant.redirectUri) return refuse(403, 'invalid_grant', 'Invalid redirect uri');
  if (grant.applicationId !== client.id) return refuse(403, 'invalid_grant', 'Invalid client id');
  const { switches } = platform;
  const isExpired = platform.now() - grant.issuedAt > switches.codeLifetimeMs;
  if (isExpired || (grant.used && switches.replay !== 'allowed')) {
    // RFC 6749 4.1.2 revokes the tokens of a replayed code; the platform does not (waste-identity 4.4).
    if (grant.used && switches.replay === 'revokes') platform.revokeTokens({ code: grant.code });
    return refuse(403, 'invalid_grant', 'Grant has expired');
  }
  if (switches.pkce === 'enforced' && !provesChallenge(grant, fields))
    return refuse(403, 'invalid_grant', 'Invalid code verifier');
  grant.used = true;
  return grant;
}

function provesChallenge({ codeChallenge }: Grant, fields: Fields): boolean {
  if (codeChallenge === undefined) return true;
  const verifier = fields['code_verifier'];
  return typeof verifier === 'string' && createHash('sha256').update(verifier).digest('base64url') === codeChallenge;
}

/** The token reply in the form and member order of the era (waste-identity 4.2, 12.4.2). */
function sendToken(reply: FastifyReply, grant: Grant, platform: Platform): FastifyReply {
  const { switches } = platform;
  const isSeed = platform.era() === 'seed';
  const user = platform.userById(grant.userId);
  const { userId, applicationId, code } = grant;
  const body: Json = {
    access_token: platform.issueToken({ userId, applicationId, code }),
    user: { name: user?.name, email: user?.email },
    token_type: switches.token.type ?? (isSeed ? 'bearer' : 'Bearer'),
    ...switches.token.members,
  };
  const type = switches.token.contentType ?? (isSeed ? 'application/json;charset=UTF-8' : 'application/json');
  reply.headers(NO_STORE);
  return sendJson(reply, 200, body, type);
}

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

function refuse(status: number, error: string, description: string): Refusal {
  return { status, error, description };
}

/** The platform sends standard codes with statuses of its own and no cache headers (waste-identity 4.3, 9). */
function refuseGrant(reply: FastifyReply, refused: Refusal, isStandard: boolean): FastifyReply {
  const { status, error, description, standardError = error } = refused;
  if (!isStandard) return sendJson(reply, status, { error, error_description: description });
  reply.headers(NO_STORE);
  return sendJson(reply, 400, { error: standardError, error_description: description });
}

/** Plain text, never `invalid_client` (waste-identity 4.3). */
function refuseClient(reply: FastifyReply, reason: 'unauthorized' | 'bad-request'): FastifyReply {
  if (reason === 'bad-request') return sendUntyped(reply, 400, 'Bad Request');
  reply.header('www-authenticate', CHALLENGE);
  return sendUntyped(reply, 401, 'Unauthorized');
}

function refuseClientAsStandard(reply: FastifyReply): FastifyReply {
  reply.headers({ ...NO_STORE, 'www-authenticate': CHALLENGE });
  return sendJson(reply, 401, { error: 'invalid_client', error_description: 'Client authentication failed' });
}

const CHALLENGE = 'Basic realm="Users"';

/** Why no application was recognised; only a malformed Basic header is a bad request (waste-identity 4.3). */
export type ClientRefusal = 'unauthorized' | 'bad-request';

/** Finds the application by Basic header or, failing that, by `client_id` and `client_secret` in the body (4.1). */
function authenticateClient(
  headers: IncomingHttpHeaders,
  fields: Fields,
  platform: Platform,
): ClientApplication | ClientRefusal {
  const basic = basicCredentials(headers.authorization);
  const byHeader = basic === null || basic === 'malformed' ? undefined : find(basic.id, basic.secret, platform);
  const client = byHeader ?? find(fields['client_id'], fields['client_secret'], platform);
  if (client !== undefined) return client;
  return basic === 'malformed' ? 'bad-request' : 'unauthorized';
}

/**
 * Splits at spaces, then at colons, and never percent-decodes, so a colon in a secret breaks it (waste-identity 4.1).
 */
function basicCredentials(header: string | undefined): { id: string; secret: string } | 'malformed' | null {
  const [scheme = '', payload] = header?.split(' ') ?? [];
  if (!/^basic$/i.test(scheme)) return null;
  if (!payload) return 'malformed';
  const [id = '', secret] = Buffer.from(payload, 'base64').toString('utf8').split(':');
  return secret === undefined ? 'malformed' : { id, secret };
}

function find(id: unknown, secret: unknown, platform: Platform): ClientApplication | undefined {
  const application = typeof id === 'string' ? platform.applications.get(id) : undefined;
  return application !== undefined && application.secret === secret ? application : undefined;
}
