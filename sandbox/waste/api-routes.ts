import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, type Payload, queryOf } from '../server/call.js';
import { redirect, sendErrorPage, setDefaults } from '../server/express.js';
import type { QuotaTaken } from '../server/quota.js';
import { decide, openTransaction } from './authorize.js';
import { fieldsOf, MALFORMED, parseBodies, sendJson } from './fields.js';
import type { Platform } from './platform.js';
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

/** How long a user has between password and second factor (waste-identity 2, route 3). */
const SECOND_FACTOR_MS = 5 * 60_000;

/** Limit on logins from one address to one account (waste-identity 8). */
const LOGINS = { limit: 10, windowMs: 60_000 };

/**
 * POST /login: opens the session and sends the browser back to the UI's `returnTo`. A user with a second factor is sent
 * to its page **without** `returnTo`, which loses the flow (waste-identity 3.6).
 */
function logIn(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const fields = fieldsOf(request);
  const email = textOf(fields['email']);
  const quota = callOf(request).take(`login ${request.ip} ${email}`, LOGINS.limit, LOGINS.windowMs);
  if (quota.exceeded) return sendTooManyRequests(reply, { ...quota, windowMs: LOGINS.windowMs });
  // They replace those of the whole host.
  reply.headers(quotaHeaders(quota));
  const returnTo = localPath(textOf(fields['returnTo']), platform.uiUrl());
  const user = platform.userByEmail(email);
  if (user === undefined || user.password !== textOf(fields['password'])) {
    const back = new URLSearchParams({ errorCode: 'INVALID_USER_OR_PASSWORD', username: email, returnTo });
    return redirect(`${platform.uiUrl()}/login?${back}`, request, reply);
  }
  const needsSecondFactor = user.totp !== undefined;
  const { cookie } = platform.sessions.open(request.headers, {
    userId: needsSecondFactor ? null : user.id,
    pending: needsSecondFactor ? { userId: user.id, until: platform.now() + SECOND_FACTOR_MS } : null,
  });
  const next = needsSecondFactor ? '/second-factor' : returnTo;
  reply.header('set-cookie', cookie);
  return redirect(`${platform.uiUrl()}${next}`, request, reply);
}

/** POST /otp: takes the second factor within five minutes; its form has no `returnTo`, so it leads to `/`. */
function passSecondFactor(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const fields = fieldsOf(request);
  const pending = platform.sessions.of(request.headers)?.pending;
  const ui = platform.uiUrl();
  if (!pending || pending.until <= platform.now()) return redirect(`${ui}/login`, request, reply);
  if (platform.userById(pending.userId)?.totp !== textOf(fields['totp']))
    return redirect(`${ui}/second-factor?errorCode=INVALID_TOTP`, request, reply);
  const { cookie } = platform.sessions.open(request.headers, { userId: pending.userId, pending: null });
  reply.header('set-cookie', cookie);
  return redirect(`${ui}${localPath(textOf(fields['returnTo']), ui)}`, request, reply);
}

/** POST /logout: ends the platform's session; tokens live on (waste-identity 2, route 8). */
function logOut(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  reply.header('set-cookie', platform.sessions.end(request.headers));
  return redirect(`${platform.uiUrl()}/`, request, reply);
}

/** A path on the UI host; `/` for anything that leads elsewhere (waste-identity 3.6). */
function localPath(returnTo: string, ui: string): string {
  if (!URL.canParse(returnTo, ui)) return '/';
  const url = new URL(returnTo, ui);
  return url.origin === ui ? `${url.pathname}${url.search}` : '/';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The state of a window after one call, and how long the window is. */
export interface Window extends QuotaTaken {
  readonly windowMs: number;
}

/** The 429: French text, and the whole window as `Retry-After`, never the time left (waste-identity 8). */
export function sendTooManyRequests(reply: FastifyReply, quota: Window): FastifyReply {
  const minutes = Math.ceil(quota.windowMs / 60_000);
  const text =
    `Quota de ${quota.limit} requêtes par ${minutes} minute(s) excédé pour cette adresse IP, ` +
    'merci de réessayer plus tard.';
  reply.code(429).headers({ ...quotaHeaders(quota), 'retry-after': String(Math.ceil(quota.windowMs / 1000)) });
  return reply.type('text/html; charset=utf-8').send(text);
}

/** Counts one call of the request's address in the host's window. */
function takeCall(request: FastifyRequest, { switches }: Platform): Window {
  const { limit, windowMs } = switches.quota;
  return { ...callOf(request).take(`address ${request.ip}`, limit, windowMs), windowMs };
}

/** The window's headers, which are on every response of the host (waste-identity 8). */
function quotaHeaders(quota: QuotaTaken): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
  };
}
