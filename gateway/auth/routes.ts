import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { CrossOrigin } from '../../runtime/http/cross-origin.js';
import { languageHeaders, pageLanguage } from '../../runtime/http/negotiation.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { StoreUnavailable } from '../../runtime/stores/exact-store.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import { loginsCookie, loginsIn, sessionCookie, sessionIn } from './cookies.js';
import { readReturnTo, refuseForgedLogout, type TrustedPages } from './cross-site.js';
import { endLogin, type LoginContext, startLogin } from './login.js';
import {
  CONNECTED,
  explainFailure,
  type LoginPage,
  loginPage,
  PAGE_HEADERS,
  REFUSED,
  STORE_AWAY,
  UNKNOWN_LOGIN,
} from './login-pages.js';
import type { Session } from './sessions.js';

const LOGIN_PATH = '/auth/waste/login';
/** Path of the callback; `waste` is the platform, and another one would have another path. */
export const CALLBACK_PATH = '/auth/waste/callback';
const LOGOUT_PATH = '/auth/waste/logout';
const SESSION_PATH = '/auth/session';

/** What the routes are served with. */
interface AuthRoutesOptions {
  readonly login: LoginContext;
  /** Whether browsers reach us over https. */
  readonly secure: boolean;
  /** The pages that may use a session, and that a login may return to. */
  readonly pages: TrustedPages;
  readonly callerLimits: Pick<CallerLimits, 'beginLogin'>;
  readonly crossOrigin: CrossOrigin;
  readonly log: Log;
}

/** The platform has no call to revoke a token (waste-identity 5.5). */
const LOGOUT_NOTICE =
  'The session has ended and its token is deleted here. The waste platform keeps the access until you revoke it ' +
  'there: Mon compte > Applications et API.';

/** Serves login, callback, logout and session. */
export function serveAuth(server: FastifyInstance, options: AuthRoutesOptions): void {
  const get = (url: string, handler: Handler) => server.route({ method: 'GET', url, exposeHeadRoute: false, handler });
  get(LOGIN_PATH, async (request, reply) => {
    await options.callerLimits.beginLogin(request.raw);
    // Checked: where the login that this request starts returns to.
    const returnTo = readReturnTo(new URLSearchParams(queryOf(request)).get('returnTo'), options.pages.allows);
    const exchange = { request, reply, returnTo };
    return withFailurePage(exchange, options, () => redirectToPlatform(exchange, options));
  });
  get(CALLBACK_PATH, async (request, reply) => {
    return withFailurePage({ request, reply }, options, () => redirectBack(request, reply, options));
  });
  get(SESSION_PATH, (request, reply) => sendSession(request, reply, options));
  server.post(LOGOUT_PATH, (request, reply) => logOut(request, reply, options));
  for (const url of [SESSION_PATH, LOGOUT_PATH]) {
    server.options(url, ({ headers }, reply) =>
      reply.code(204).headers(options.crossOrigin.answerPreflight(headers)).send(),
    );
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

async function redirectToPlatform(
  { request, reply, returnTo }: Required<PageExchange>,
  { login, secure, pages }: AuthRoutesOptions,
): Promise<FastifyReply> {
  const { id: requestId, headers } = request;
  reply.headers(NO_STORE);
  const elsewhere = sameHostOrigin(pages.ownOrigin(), oneHeader(headers, 'host'));
  if (elsewhere !== null) return reply.redirect(`${elsewhere}${LOGIN_PATH}?${queryOf(request)}`, 302);
  const sessionId = sessionIn(headers, secure);
  const replaces = sessionId === null ? null : login.sessions.keyOf(sessionId);
  const { id, address } = await startLogin(login, { requestId, returnTo, replaces });
  return reply.header('set-cookie', loginsCookie([id, ...loginsIn(headers, secure)], secure)).redirect(address, 302);
}

async function redirectBack(
  request: FastifyRequest,
  reply: FastifyReply,
  { login, secure, log }: AuthRoutesOptions,
): Promise<FastifyReply> {
  const { id: requestId, headers } = request;
  const ids = loginsIn(headers, secure);
  const before = sessionIn(headers, secure);
  const end = await endLogin(login, { requestId, ids, query: queryOf(request) });
  log.info({ requestId, outcome: end.kind }, 'login ended');
  if (end.kind === 'unknown') return sendPage(UNKNOWN_LOGIN, { request, reply });
  const { loginId, returnTo } = end;
  const others = ids.filter((id) => id !== loginId);
  reply.header('set-cookie', loginsCookie(others, secure));
  if (end.kind === 'failed') return sendFailure(end.error, { request, reply, returnTo }, log);
  if (end.kind === 'refused') return sendPage(REFUSED, { request, reply, returnTo });
  if (before !== null) await login.sessions.end(login.sessions.keyOf(before));
  reply.header('set-cookie', sessionCookie(end.sessionId, secure));
  return goOn(returnTo, { request, reply });
}

/** Leads to where a login returns to. Where our pages are off there is no home: the login then ends on a page of its own. */
function goOn(returnTo: string, exchange: PageExchange): FastifyReply {
  if (isNowhere(returnTo, exchange)) return sendPage(CONNECTED, exchange);
  return exchange.reply.headers(NO_STORE).redirect(returnTo, 303);
}

function isNowhere(returnTo: string, { request: { server } }: PageExchange): boolean {
  return returnTo === '/' && !server.hasRoute({ method: 'GET', url: '/' });
}

async function sendSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { login: { sessions }, secure, crossOrigin, log }: AuthRoutesOptions,
): Promise<FastifyReply> {
  const id = sessionIn(request.headers, secure);
  const session = id === null ? null : await sessions.find(id).catch(() => cannotReach(request, log));
  // An unknown cookie is not cleared: a late response could otherwise remove the cookie of a newer login.
  return reply
    .headers({ ...crossOrigin.headersFor(oneHeader(request.headers, 'origin')), ...PRIVATE_JSON })
    .send(JSON.stringify({ waste: describe(session) }));
}

async function logOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { login: { sessions }, secure, pages, crossOrigin, log }: AuthRoutesOptions,
): Promise<FastifyReply> {
  refuseForgedLogout(request.headers, pages);
  const id = sessionIn(request.headers, secure);
  if (id !== null) await sessions.end(sessions.keyOf(id)).catch(() => cannotReach(request, log));
  return reply
    .headers({ ...crossOrigin.headersFor(oneHeader(request.headers, 'origin')), ...PRIVATE_JSON })
    .header('set-cookie', sessionCookie(null, secure))
    .send(JSON.stringify({ waste: describe(null), upstream: { revoked: false, notice: LOGOUT_NOTICE } }));
}

function describe(session: Session | null): object {
  if (session === null) return { connected: false, user: null, reconnect: false };
  const connected = session.token !== null;
  return { connected, user: session.user, reconnect: !connected };
}

/** Runs a step of a login; a failure becomes a page and a log line. */
async function withFailurePage(
  exchange: PageExchange,
  { log }: AuthRoutesOptions,
  step: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await step();
  } catch (error) {
    return sendFailure(error, exchange, log);
  }
}

function sendFailure(error: unknown, exchange: PageExchange, log: Log): FastifyReply {
  const { request, reply } = exchange;
  if (error instanceof StoreUnavailable) {
    log.debug({ requestId: request.id }, 'the session store cannot be used');
    return sendPage(STORE_AWAY, exchange);
  }
  const step = request.routeOptions.url === LOGIN_PATH ? 'start' : 'end';
  const coded = error instanceof CodedError ? error : new CodedError('INTERNAL', '', { cause: error });
  const fields = { requestId: request.id, code: coded.code, step };
  if (coded.code === 'INTERNAL') log.error({ ...fields, err: coded.cause }, 'login failed');
  else log.warn(fields, 'login failed');
  const { retryAfterSeconds } = coded.extensions;
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', String(retryAfterSeconds));
  return sendPage(explainFailure(coded, step), exchange);
}

interface PageExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The page that the login came from, checked: the user can go back there, and a new login returns there. */
  readonly returnTo?: string;
}

function sendPage(page: LoginPage, exchange: PageExchange): FastifyReply {
  const { request, reply, returnTo = '/' } = exchange;
  const back = isNowhere(returnTo, exchange) ? null : returnTo;
  const login = `${LOGIN_PATH}?${new URLSearchParams({ returnTo })}`;
  const language = pageLanguage(request);
  return reply
    .code(page.status)
    .headers({ ...PAGE_HEADERS, ...languageHeaders(language) })
    .send(loginPage(page, language, { login, back, requestId: request.id }));
}

function cannotReach({ id: requestId }: FastifyRequest, log: Log): never {
  log.debug({ requestId }, 'the session store cannot be used');
  throw new RequestError(503, 'The session store cannot be reached at the moment.', {
    code: 'GATEWAY_UNAVAILABLE',
    headers: { 'retry-after': '5' },
  });
}

/** For responses with a state, code or cookie: never cached, and their URL is never sent as referrer. */
const NO_STORE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

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
 * Our public origin, if the browser uses another loopback name for it: cookies of `localhost` are not sent to
 * `127.0.0.1`. Null if it already uses ours. Other hosts are never followed (waste-identity 10.1).
 */
function sameHostOrigin(publicUrl: string, host: string | undefined): string | null {
  const own = new URL(publicUrl);
  if (host === undefined || host === own.host || !URL.canParse(`http://${host}`)) return null;
  const seen = new URL(`http://${host}`);
  const areBothHere = LOOPBACK_NAMES.test(seen.hostname) && LOOPBACK_NAMES.test(own.hostname);
  return areBothHere && seen.port === own.port ? own.origin : null;
}
