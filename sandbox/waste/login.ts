import type { Reply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';
import { parseFields } from './fields.js';
import type { Platform } from './platform.js';
import { tooManyRequests } from './quota.js';
import { foundAt } from './redirect.js';

/** How long a user has between password and second factor (waste-identity 2, route 3). */
const SECOND_FACTOR_MS = 5 * 60_000;

/** Limit on logins from one address to one account (waste-identity 8). */
const LOGINS = { limit: 10, windowMs: 60_000 };

/**
 * POST /login: opens the session and sends the browser back to the UI's `returnTo`. A user with a second factor is sent
 * to its page **without** `returnTo`, which loses the flow (waste-identity 3.6).
 */
export async function logIn(request: ServiceRequest, platform: Platform): Promise<Reply> {
  const fields = await fieldsOf(request);
  const email = textOf(fields['email']);
  const quota = request.take(`login ${request.address} ${email}`, LOGINS.limit, LOGINS.windowMs);
  if (quota.exceeded) return tooManyRequests({ ...quota, windowMs: LOGINS.windowMs });
  const returnTo = localPath(textOf(fields['returnTo']), platform.uiUrl());
  const user = platform.userByEmail(email);
  if (user === undefined || user.password !== textOf(fields['password'])) {
    const back = new URLSearchParams({ errorCode: 'INVALID_USER_OR_PASSWORD', username: email, returnTo });
    return foundAt(`${platform.uiUrl()}/login?${back}`, request);
  }
  const needsSecondFactor = user.totp !== undefined;
  const { cookie } = platform.sessions.open(request.headers, {
    userId: needsSecondFactor ? null : user.id,
    pending: needsSecondFactor ? { userId: user.id, until: platform.now() + SECOND_FACTOR_MS } : null,
  });
  const next = needsSecondFactor ? '/second-factor' : returnTo;
  return withCookie(foundAt(`${platform.uiUrl()}${next}`, request), cookie);
}

/** POST /otp: takes the second factor within five minutes; its form has no `returnTo`, so it leads to `/`. */
export async function passSecondFactor(request: ServiceRequest, platform: Platform): Promise<Reply> {
  const fields = await fieldsOf(request);
  const pending = platform.sessions.of(request.headers)?.pending;
  const ui = platform.uiUrl();
  if (!pending || pending.until <= platform.now()) return foundAt(`${ui}/login`, request);
  if (platform.userById(pending.userId)?.totp !== textOf(fields['totp']))
    return foundAt(`${ui}/second-factor?errorCode=INVALID_TOTP`, request);
  const { cookie } = platform.sessions.open(request.headers, { userId: pending.userId, pending: null });
  return withCookie(foundAt(`${ui}${localPath(textOf(fields['returnTo']), ui)}`, request), cookie);
}

/** POST /logout: ends the platform's session; tokens live on (waste-identity 2, route 8). */
export function logOut(request: ServiceRequest, platform: Platform): Reply {
  return withCookie(foundAt(`${platform.uiUrl()}/`, request), platform.sessions.end(request.headers));
}

/** A path on the UI host; `/` for anything that leads elsewhere (waste-identity 3.6). */
function localPath(returnTo: string, ui: string): string {
  if (!URL.canParse(returnTo, ui)) return '/';
  const url = new URL(returnTo, ui);
  return url.origin === ui ? `${url.pathname}${url.search}` : '/';
}

async function fieldsOf(request: ServiceRequest) {
  return parseFields(await request.readBody(), request.headers['content-type']);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function withCookie(reply: Reply, cookie: string): Reply {
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookie } };
}
