import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { StoreAway } from '../../runtime/stores/exact-store.js';
import { CodedError } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { RequestError } from '../http/request-error.js';
import type { Cookies } from './cookies.js';
import type { CrossSiteGuard } from './cross-site.js';
import { explainFailure, NOT_NOW, NOT_UNDER_WAY, REFUSED } from './failures.js';
import type { Logins } from './login.js';
import { type FailurePage, failurePage, PAGE_HEADERS } from './pages.js';
import { readReturnTo } from './return-to.js';
import type { Session, Sessions } from './sessions.js';

const LOGIN_PATH = '/auth/waste/login';
/** Its `waste` names the platform: the response of another one would have to arrive at another path. */
export const CALLBACK_PATH = '/auth/waste/callback';
const LOGOUT_PATH = '/auth/waste/logout';
const SESSION_PATH = '/auth/session';

export interface AuthRoutesOptions {
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly guard: CrossSiteGuard;
  readonly crossOrigin: CrossOrigin;
  readonly log: Log;
  /** Origin that browsers see. */
  publicUrl(): string;
}

/** What the user's token does after a logout here: the platform has no call that revokes one (waste-identity 5.5). */
const LOGOUT_NOTICE =
  'The session here is ended and its token forgotten. At the waste platform the access stays until you revoke it ' +
  'there: Mon compte > Applications et API.';

/** Serves login, callback, logout and session. */
export function serveAuth(server: FastifyInstance, options: AuthRoutesOptions): void {
  const get = (url: string, handler: Handler) => server.route({ method: 'GET', url, exposeHeadRoute: false, handler });
  get(LOGIN_PATH, (request, reply) =>
    answerPage({ request, reply }, options, () => startLogin(request, reply, options)),
  );
  get(CALLBACK_PATH, (request, reply) =>
    answerPage({ request, reply }, options, () => endLogin(request, reply, options)),
  );
  get(SESSION_PATH, (request, reply) => tellSession(request, reply, options));
  server.post(LOGOUT_PATH, (request, reply) => logOut(request, reply, options));
  for (const url of [SESSION_PATH, LOGOUT_PATH]) {
    server.options(url, ({ headers }, reply) =>
      reply.code(204).headers(options.crossOrigin.preflightHeadersFor(headers.origin)).send(),
    );
  }
  for (const [url, allow] of [
    [LOGIN_PATH, 'GET'],
    [CALLBACK_PATH, 'GET'],
    [SESSION_PATH, 'GET'],
    [LOGOUT_PATH, 'POST'],
  ] as const) {
    const others = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => method !== allow);
    server.route({
      method: [...others],
      url,
      exposeHeadRoute: false,
      handler: () => {
        throw new RequestError(405, `This address takes ${allow} only.`, { headers: { allow } });
      },
    });
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

async function startLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  { logins, sessions, cookies, publicUrl }: AuthRoutesOptions,
): Promise<FastifyReply> {
  reply.headers(NOTHING_KEPT);
  const query = queryOf(request);
  const elsewhere = sameAddressAt(publicUrl(), oneHeader(request.headers, 'host'));
  if (elsewhere !== null) return reply.redirect(`${elsewhere}${LOGIN_PATH}?${query}`, 302);
  const returnTo = readReturnTo(new URLSearchParams(query).get('returnTo'));
  const sessionId = cookies.session(request.headers);
  const replaces = sessionId === null ? null : sessions.keyOf(sessionId);
  const { id, address } = await logins.begin({ requestId: request.id, returnTo, replaces });
  return reply.header('set-cookie', cookies.keepLogin(id, request.headers)).redirect(address, 302);
}

async function endLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AuthRoutesOptions,
): Promise<FastifyReply> {
  const { logins, sessions, cookies, log } = options;
  const { id: requestId, headers } = request;
  const end = await logins.end({ requestId, ids: cookies.logins(headers), query: queryOf(request) });
  log.info({ requestId, outcome: end.kind }, 'a login ended');
  if (end.kind === 'failed') {
    reply.header('set-cookie', cookies.dropLogin(end.loginId, headers));
    return sendFailure(end.error, { request, reply, returnTo: end.returnTo }, log);
  }
  if (end.kind === 'not-under-way') return sendPage(NOT_UNDER_WAY, { request, reply });
  reply.header('set-cookie', cookies.dropLogin(end.loginId, headers));
  if (end.kind === 'refused') return sendPage(REFUSED, { request, reply, returnTo: end.returnTo });
  const before = cookies.session(headers);
  if (before !== null) await sessions.end(sessions.keyOf(before));
  return reply
    .headers(NOTHING_KEPT)
    .header('set-cookie', cookies.keepSession(end.sessionId))
    .redirect(end.returnTo, 303);
}

async function tellSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, cookies, crossOrigin, log }: AuthRoutesOptions,
): Promise<FastifyReply> {
  const id = cookies.session(request.headers);
  const session = id === null ? null : await sessions.find(id).catch((error) => cannotReach(error, request, log));
  // A cookie that leads nowhere stays: a late response would otherwise remove the one of a newer login.
  return reply
    .headers({ ...crossOrigin.headersFor(request.headers.origin), ...PRIVATE_JSON })
    .send(JSON.stringify({ waste: describe(session) }));
}

async function logOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, cookies, guard, crossOrigin, log }: AuthRoutesOptions,
): Promise<FastifyReply> {
  guard.refuseForgedLogout(request.headers);
  const id = cookies.session(request.headers);
  if (id !== null) await sessions.end(sessions.keyOf(id)).catch((error) => cannotReach(error, request, log));
  return reply
    .headers({ ...crossOrigin.headersFor(request.headers.origin), ...PRIVATE_JSON })
    .header('set-cookie', cookies.dropSession())
    .send(JSON.stringify({ waste: describe(null), upstream: { revoked: false, notice: LOGOUT_NOTICE } }));
}

function describe(session: Session | null): object {
  if (session === null) return { connected: false, user: null, reconnect: false };
  const connected = session.token !== null;
  return { connected, user: session.user, reconnect: !connected };
}

/** Runs a step of a login that a person looks at: a failure is a page in clear words, and a line in the log. */
async function answerPage(
  { request, reply }: PageAnswer,
  { log }: AuthRoutesOptions,
  step: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await step();
  } catch (error) {
    return sendFailure(error, { request, reply }, log);
  }
}

function sendFailure(error: unknown, answer: PageAnswer, log: Log): FastifyReply {
  const { request, reply } = answer;
  if (error instanceof StoreAway) {
    log.error({ requestId: request.id, err: error }, 'the sessions cannot be reached');
    return sendPage(NOT_NOW, answer);
  }
  const step = request.routeOptions.url === LOGIN_PATH ? 'start' : 'end';
  const coded = error instanceof CodedError ? error : new CodedError('INTERNAL', '', { cause: error });
  const fields = { requestId: request.id, code: coded.code, step };
  if (coded.code === 'INTERNAL') log.error({ ...fields, err: coded.cause }, 'a login failed');
  else log.warn(fields, 'a login failed');
  const { retryAfterSeconds } = coded.extensions;
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', String(retryAfterSeconds));
  return sendPage(explainFailure(coded, step), answer);
}

interface PageAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Where a new login should lead to. */
  readonly returnTo?: string;
}

function sendPage(page: FailurePage, { request, reply, returnTo = '/' }: PageAnswer): FastifyReply {
  const login = `${LOGIN_PATH}?${new URLSearchParams({ returnTo })}`;
  return reply
    .code(page.status)
    .headers(PAGE_HEADERS)
    .send(failurePage(page, { login, requestId: request.id }));
}

function cannotReach(error: unknown, { id: requestId }: FastifyRequest, log: Log): never {
  log.error({ requestId, err: error }, 'the sessions cannot be reached');
  throw new RequestError(503, 'The sessions cannot be reached at the moment.', { code: 'UPSTREAM_UNAVAILABLE' });
}

/** Responses that carry a state, a code or a cookie are not cached, and their address is sent to no one as referrer. */
const NOTHING_KEPT = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const PRIVATE_JSON = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
};

function queryOf({ url }: FastifyRequest): string {
  const from = url.indexOf('?');
  return from < 0 ? '' : url.slice(from + 1);
}

const LOOPBACK_NAMES = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Our public origin, when the browser sees us under another name of this machine: cookies of `localhost` do not come
 * back to `127.0.0.1`. Null when it is there already. Hosts of other machines are never followed (waste-identity 10.1).
 */
function sameAddressAt(publicUrl: string, host: string | undefined): string | null {
  const own = new URL(publicUrl);
  if (host === undefined || host === own.host || !URL.canParse(`http://${host}`)) return null;
  const seen = new URL(`http://${host}`);
  const areBothHere = LOOPBACK_NAMES.test(seen.hostname) && LOOPBACK_NAMES.test(own.hostname);
  return areBothHere && seen.port === own.port ? own.origin : null;
}
