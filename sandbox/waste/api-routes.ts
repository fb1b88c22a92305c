import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Payload, queryOf } from '../server/call.js';
import { redirect, sendErrorPage, setDefaults } from '../server/express.js';
import { decide, openTransaction } from './authorize.js';
import { fieldsOf, MALFORMED, parseBodies, sendJson } from './fields.js';
import { logIn, logOut, passSecondFactor } from './login.js';
import type { Platform } from './platform.js';
import { quotaHeaders, sendTooManyRequests, takeCall } from './quota.js';
import { addGraphql } from './resource.js';
import type { Session } from './sessions.js';
import { FORM_LIMIT, handleTokenRequest } from './token.js';

/** Routes of the API host (waste-identity 2, routes 2 to 8), all behind one window per address. */
export function addApiRoutes(app: FastifyInstance, platform: Platform): void {
  parseBodies(app);
  // Every preflight succeeds, for the one origin that `decorateApi` names (waste-identity 8).
  app.options('/*', (_request, reply) => reply.code(204).send());
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') return done();
    const quota = takeCall(request, platform);
    if (quota.exceeded) sendTooManyRequests(reply, quota);
    else {
      reply.headers(quotaHeaders(quota));
      done();
    }
  });
  app.post('/login', (request, reply) => logIn(request, reply, platform));
  app.post('/otp', (request, reply) => passSecondFactor(request, reply, platform));
  app.post('/logout', (request, reply) => logOut(request, reply, platform));
  app.get('/oauth2/authorize', (request, reply) => authorize(request, reply, platform));
  app.post('/oauth2/authorize/decision', (request, reply) => takeDecision(request, reply, platform));
  app.post('/oauth2/token', { bodyLimit: FORM_LIMIT }, (request, reply) =>
    handleTokenRequest(request, reply, platform),
  );
  addGraphql(app, platform);
}

/** Refuses a body as the platform's parsers do (waste-identity 4.3). */
export function refuseBody({ statusCode }: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (statusCode === 413) return reply.code(413).send({ error: 'Payload Too Large' });
  return reply.code(400).send({ error: MALFORMED });
}

/** Any other path: a 404 in plain text (waste-identity 2). */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const quota = takeCall(request, platform);
  if (quota.exceeded) return sendTooManyRequests(reply, quota);
  return reply.code(404).type('text/html; charset=utf-8').headers(quotaHeaders(quota)).send('Not found');
}

/** Adds the headers of every response of the host: CORS for the UI host only, and helmet's policy (waste-identity 8). */
export function decorateApi(reply: FastifyReply, payload: Payload, platform: Platform): Payload {
  setDefaults(reply, {
    'access-control-allow-credentials': 'true',
    'access-control-allow-origin': platform.uiUrl(),
    'content-security-policy': "default-src 'none'",
    vary: 'Origin',
  });
  return payload;
}

/** GET /oauth2/authorize: opens a transaction and returns in JSON what the consent page shows (waste-identity 3.2). */
function authorize(request: FastifyRequest, reply: FastifyReply, platform: Platform): unknown {
  const session = platform.sessions.of(request.headers);
  const user = userOf(session, platform);
  if (session === undefined || user === undefined) return refuseSession(reply);
  const opened = openTransaction(queryOf(request), { platform, session });
  if (!('status' in opened)) {
    return {
      transactionID: opened.id,
      user: { name: user.name },
      client: { name: opened.application.name },
      redirectURI: opened.transaction.redirectUri,
    };
  }
  if (opened.location !== null) return redirect(opened.location, request, reply);
  return sendJson(reply, opened.status, opened.body);
}

/**
 * POST /oauth2/authorize/decision: consent unless `cancel` is sent; errors are Express's pages (waste-identity 3.4).
 */
function takeDecision(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const session = platform.sessions.of(request.headers);
  const user = userOf(session, platform);
  if (session === undefined || user === undefined) return refuseSession(reply);
  const fields = fieldsOf(request);
  const id = fields['transaction_id'] ?? queryOf(request)['transaction_id'];
  if (typeof id !== 'string' || id === '') return sendErrorPage(reply, 400, 'Bad Request');
  const transaction = session.transactions.get(id);
  if (transaction === undefined || !platform.applications.has(transaction.applicationId))
    return sendErrorPage(reply, 403, 'Forbidden');
  session.transactions.delete(id);
  return redirect(decide(platform, transaction, { userId: user.id, allowed: !fields['cancel'] }), request, reply);
}

function userOf(session: Session | undefined, platform: Platform) {
  return session?.userId ? platform.userById(session.userId) : undefined;
}

function refuseSession(reply: FastifyReply): FastifyReply {
  return reply.code(401).send({ error: 'Not Authorized' });
}
