import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryOf } from '../server/call.js';
import { redirect } from '../server/express.js';
import { decide, openTransaction } from './authorize.js';
import { fieldsOf, parseBodies } from './fields.js';
import {
  sendApplicationsPage,
  sendConsentPage,
  sendErrorPage,
  sendHomePage,
  sendLoginPage,
  sendSecondFactorPage,
} from './pages.js';
import { type Platform, type PlatformUser, SECOND_FACTOR_CODE } from './platform.js';
import type { Session } from './sessions.js';

/**
 * Routes of the UI host (waste-identity 2). The platform's is a single-page application that calls the API host; this
 * one renders on the server by the same rules, so it works without JavaScript. Every path has a page.
 */
export function addUiRoutes(app: FastifyInstance, platform: Platform, apiUrl: () => string): void {
  parseBodies(app);
  app.get('/oauth2/authorize/dialog', (request, reply) => showDialog(request, reply, { platform, apiUrl: apiUrl() }));
  app.get('/login', (request, reply) => {
    const { returnTo, errorCode } = queryOf(request);
    return sendLoginPage(reply, {
      apiUrl: apiUrl(),
      returnTo: [returnTo].flat()[0] ?? '/',
      failed: errorCode !== undefined,
      emails: platform.users.map(({ email }) => email),
      password: platform.users[0]?.password ?? '',
    });
  });
  app.get('/second-factor', (request, reply) => {
    const failed = queryOf(request)['errorCode'] !== undefined;
    return sendSecondFactorPage(reply, { apiUrl: apiUrl(), failed, code: SECOND_FACTOR_CODE });
  });
  app.get('/account/applications', (request, reply) => {
    const user = loggedIn(request, reply, platform)?.user;
    if (user === undefined) return redirect('/login?returnTo=/account/applications', request, reply);
    return sendApplicationsPage(reply, platform.authorizedApplications(user.id));
  });
  app.post('/account/applications/revoke', (request, reply) => revoke(request, reply, platform));
  app.get('/*', (request, reply) =>
    sendHomePage(reply, { apiUrl: apiUrl(), userName: loggedIn(request, reply, platform)?.user.name }),
  );
}

interface Ui {
  readonly platform: Platform;
  readonly apiUrl: string;
}

/** GET /oauth2/authorize/dialog: the login if there is no session, else the consent form or an error. */
function showDialog(request: FastifyRequest, reply: FastifyReply, { platform, apiUrl }: Ui): FastifyReply {
  const login = loggedIn(request, reply, platform);
  if (login === undefined) return redirect(`/login?${new URLSearchParams({ returnTo: request.url })}`, request, reply);
  const { user, session } = login;
  const opened = openTransaction(queryOf(request), { platform, session });
  if ('status' in opened) {
    const { location, body } = opened;
    return location === null ? sendErrorPage(reply, body.error_description) : redirect(location, request, reply);
  }
  const { id, application, transaction } = opened;
  const { dialog } = platform.switches;
  if (dialog !== 'ask') {
    session.transactions.delete(id);
    const decision = { userId: user.id, allowed: dialog === 'approve' };
    return redirect(decide(platform, transaction, decision), request, reply);
  }
  const page = { apiUrl, transactionId: id, userName: user.name, application };
  return sendConsentPage(reply, { ...page, redirectUri: transaction.redirectUri });
}

/** Revokes all tokens of the user and the application, as the platform's mutation does (waste-identity 5.5). */
function revoke(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const login = loggedIn(request, reply, platform);
  const { id } = fieldsOf(request);
  if (login !== undefined && typeof id === 'string')
    platform.revokeTokens({ userId: login.user.id, applicationId: id });
  return redirect('/account/applications', request, reply);
}

interface Login {
  readonly user: PlatformUser;
  readonly session: Session;
}

/** The user and session of a browser. If a preset user's session had to be opened, its cookie is set. */
function loggedIn(request: FastifyRequest, reply: FastifyReply, platform: Platform): Login | undefined {
  const session = platform.sessions.of(request.headers);
  const user = session?.userId ? platform.userById(session.userId) : undefined;
  if (session !== undefined && user !== undefined) return { user, session };
  const preset = platform.userByEmail(platform.switches.presetUser ?? '');
  if (preset === undefined) return undefined;
  const opened = platform.sessions.open(request.headers, { userId: preset.id, pending: null });
  reply.header('set-cookie', opened.cookie);
  return { user: preset, session: opened.session };
}
