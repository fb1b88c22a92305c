import { parse } from 'node:querystring';
import type { Reply } from '../server/reply.js';
import type { Route, ServiceRequest } from '../server/routes.js';
import { decide, openTransaction } from './authorize.js';
import { parseFields } from './fields.js';
import { applicationsPage, consentPage, errorPage, homePage, loginPage, secondFactorPage } from './pages.js';
import type { Platform } from './platform.js';
import { foundAt } from './redirect.js';
import type { Session } from './sessions.js';
import { type PlatformUser, SECOND_FACTOR_CODE } from './users.js';

/**
 * Routes of the UI host (waste-identity 2). The platform's is a single-page application that calls the API host; this
 * one renders on the server by the same rules, so it works without JavaScript. Every path has a page.
 */
export function createUiRoutes(platform: Platform, apiUrl: () => string): Route[] {
  return [
    { method: 'GET', path: '/oauth2/authorize/dialog', handle: (request) => showDialog(request, platform, apiUrl()) },
    {
      method: 'GET',
      path: '/login',
      handle: ({ query }) =>
        loginPage({
          apiUrl: apiUrl(),
          returnTo: query.get('returnTo') ?? '/',
          failed: query.has('errorCode'),
          emails: platform.users.map(({ email }) => email),
          password: platform.users[0]?.password ?? '',
        }),
    },
    {
      method: 'GET',
      path: '/second-factor',
      handle: ({ query }) =>
        secondFactorPage({ apiUrl: apiUrl(), failed: query.has('errorCode'), code: SECOND_FACTOR_CODE }),
    },
    { method: 'GET', path: '/account/applications', handle: (request) => showApplications(request, platform) },
    { method: 'POST', path: '/account/applications/revoke', handle: (request) => revoke(request, platform) },
    {
      method: 'GET',
      path: '/*',
      handle: (request) => homePage({ apiUrl: apiUrl(), userName: loggedIn(request, platform)?.user.name }),
    },
  ];
}

/** GET /oauth2/authorize/dialog: the login if there is no session, else the consent form or an error. */
function showDialog(request: ServiceRequest, platform: Platform, apiUrl: string): Reply {
  const login = loggedIn(request, platform);
  if (login === undefined) return foundAt(`/login?${new URLSearchParams({ returnTo: request.url })}`, request);
  const opened = openTransaction(parse(request.url.split('?').slice(1).join('?')), {
    platform,
    session: login.session,
  });
  if ('status' in opened) {
    const { location, body } = opened;
    return login.remember(location === null ? errorPage(body.error_description) : foundAt(location, request));
  }
  const { id, application, transaction } = opened;
  const { dialog } = platform.switches;
  if (dialog !== 'ask') {
    login.session.transactions.delete(id);
    const decision = { userId: login.user.id, allowed: dialog === 'approve' };
    return login.remember(foundAt(decide(platform, transaction, decision), request));
  }
  const page = { apiUrl, transactionId: id, userName: login.user.name, application };
  return login.remember(consentPage({ ...page, redirectUri: transaction.redirectUri }));
}

function showApplications(request: ServiceRequest, platform: Platform): Reply {
  const login = loggedIn(request, platform);
  if (login === undefined) return foundAt('/login?returnTo=/account/applications', request);
  return login.remember(applicationsPage(platform.authorizedApplications(login.user.id)));
}

/** Revokes all tokens of the user and the application, as the platform's mutation does (waste-identity 5.5). */
async function revoke(request: ServiceRequest, platform: Platform): Promise<Reply> {
  const login = loggedIn(request, platform);
  const fields = parseFields(await request.readBody(), request.headers['content-type']);
  if (login !== undefined && typeof fields['id'] === 'string')
    platform.revokeTokens({ userId: login.user.id, applicationId: fields['id'] });
  return foundAt('/account/applications', request);
}

interface Login {
  readonly user: PlatformUser;
  readonly session: Session;
  /** Adds to the reply the cookie of a session that had to be opened. */
  remember(reply: Reply): Reply;
}

function loggedIn(request: ServiceRequest, platform: Platform): Login | undefined {
  const session = platform.sessions.of(request.headers);
  const user = session?.userId ? platform.userById(session.userId) : undefined;
  if (session !== undefined && user !== undefined) return { user, session, remember: (reply) => reply };
  const preset = platform.userByEmail(platform.switches.presetUser ?? '');
  if (preset === undefined) return undefined;
  const opened = platform.sessions.open(request.headers, { userId: preset.id, pending: null });
  const remember = (reply: Reply): Reply => ({
    ...reply,
    headers: { ...reply.headers, 'set-cookie': opened.cookie },
  });
  return { user: preset, session: opened.session, remember };
}
