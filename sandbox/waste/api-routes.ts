import { parse } from 'node:querystring';
import { BodyTooLarge } from '../server/body.js';
import { expressErrorPage } from '../server/express.js';
import { jsonReply, type Reply, textReply } from '../server/reply.js';
import type { Route, ServiceRequest } from '../server/routes.js';
import { decide, openTransaction } from './authorize.js';
import { parseFields } from './fields.js';
import { logIn, logOut, passSecondFactor } from './login.js';
import type { Platform } from './platform.js';
import { takeCall, tooManyRequests, withQuota } from './quota.js';
import { foundAt } from './redirect.js';
import { handleGraphql } from './resource.js';
import type { Session } from './sessions.js';
import { handleTokenRequest } from './token.js';

/** Routes of the API host (waste-identity 2, routes 2 to 8), all behind one window per address. */
export function createApiRoutes(platform: Platform): Route[] {
  const route = (method: string, path: string, reply: (request: ServiceRequest) => Reply | Promise<Reply>): Route => ({
    method,
    path,
    handle: async (request) => {
      const quota = takeCall(request, platform);
      if (quota.exceeded) return tooManyRequests(quota);
      return withQuota(await readableReply(request, reply), quota);
    },
  });
  return [
    route('POST', '/login', (request) => logIn(request, platform)),
    route('POST', '/otp', (request) => passSecondFactor(request, platform)),
    route('POST', '/logout', (request) => logOut(request, platform)),
    route('GET', '/oauth2/authorize', (request) => authorize(request, platform)),
    route('POST', '/oauth2/authorize/decision', (request) => takeDecision(request, platform)),
    route('POST', '/oauth2/token', (request) => handleTokenRequest(request, platform)),
    route('GET', '/', (request) => handleGraphql(request, platform)),
    route('POST', '/', (request) => handleGraphql(request, platform)),
    // Every preflight succeeds, for the one origin that `decorateApi` names (waste-identity 8).
    { method: 'OPTIONS', path: '/*', handle: () => ({ status: 204 }) },
  ];
}

/** The route's reply, or that of the platform's body parsers, which run first (waste-identity 4.3). */
async function readableReply(
  request: ServiceRequest,
  reply: (request: ServiceRequest) => Reply | Promise<Reply>,
): Promise<Reply> {
  try {
    return await reply(request);
  } catch (error) {
    if (error instanceof SyntaxError) return jsonReply(400, { error: 'JSON mal formaté ou invalide' });
    if (error instanceof BodyTooLarge) return jsonReply(413, { error: 'Payload Too Large' });
    throw error;
  }
}

/** Any other path: a 404 in plain text (waste-identity 2). */
export function notFound(request: ServiceRequest, platform: Platform): Reply {
  const quota = takeCall(request, platform);
  if (quota.exceeded) return tooManyRequests(quota);
  return withQuota(textReply(404, 'Not found', 'text/html; charset=utf-8'), quota);
}

/** Headers of every response of the host: CORS for the UI host only, and helmet's policy (waste-identity 8). */
export function decorateApi(reply: Reply, platform: Platform): Reply {
  return {
    ...reply,
    headers: {
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': platform.uiUrl(),
      'content-security-policy': "default-src 'none'",
      vary: 'Origin',
      ...reply.headers,
    },
  };
}

/** GET /oauth2/authorize: opens a transaction and returns in JSON what the consent page shows (waste-identity 3.2). */
function authorize(request: ServiceRequest, platform: Platform): Reply {
  const session = platform.sessions.of(request.headers);
  const user = userOf(session, platform);
  if (session === undefined || user === undefined) return notAuthorized();
  const opened = openTransaction(parse(request.url.split('?').slice(1).join('?')), { platform, session });
  if ('status' in opened) {
    if (opened.location !== null) return foundAt(opened.location, request);
    return { ...jsonReply(opened.status, opened.body), headers: { 'content-type': 'application/json' } };
  }
  return jsonReply(200, {
    transactionID: opened.id,
    user: { name: user.name },
    client: { name: opened.application.name },
    redirectURI: opened.transaction.redirectUri,
  });
}

/**
 * POST /oauth2/authorize/decision: consent unless `cancel` is sent; errors are Express's pages (waste-identity 3.4).
 */
async function takeDecision(request: ServiceRequest, platform: Platform): Promise<Reply> {
  const session = platform.sessions.of(request.headers);
  const user = userOf(session, platform);
  if (session === undefined || user === undefined) return notAuthorized();
  const fields = parseFields(await request.readBody(), request.headers['content-type']);
  const id = fields['transaction_id'] ?? request.query.get('transaction_id');
  if (typeof id !== 'string' || id === '') return expressErrorPage(400, 'Bad Request');
  const transaction = session.transactions.get(id);
  if (transaction === undefined || !platform.applications.has(transaction.applicationId))
    return expressErrorPage(403, 'Forbidden');
  session.transactions.delete(id);
  return foundAt(decide(platform, transaction, { userId: user.id, allowed: !fields['cancel'] }), request);
}

function userOf(session: Session | undefined, platform: Platform) {
  return session?.userId ? platform.userById(session.userId) : undefined;
}

function notAuthorized(): Reply {
  return jsonReply(401, { error: 'Not Authorized' });
}
