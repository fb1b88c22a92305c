import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from '../server/call.js';
import { redirect } from '../server/express.js';
import { fieldsOf } from './fields.js';
import type { Platform } from './platform.js';
import { sendTooManyRequests } from './quota.js';

/** How long a user has between password and second factor (waste-identity 2, route 3). */
const SECOND_FACTOR_MS = 5 * 60_000;

/** Limit on logins from one address to one account (waste-identity 8). */
const LOGINS = { limit: 10, windowMs: 60_000 };

/**
 * POST /login: opens the session and sends the browser back to the UI's `returnTo`. A user with a second factor is sent
 * to its page **without** `returnTo`, which loses the flow (waste-identity 3.6).
 */
export function logIn(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
  const fields = fieldsOf(request);
  const email = textOf(fields['email']);
  const quota = callOf(request).take(`login ${request.ip} ${email}`, LOGINS.limit, LOGINS.windowMs);
  if (quota.exceeded) return sendTooManyRequests(reply, { ...quota, windowMs: LOGINS.windowMs });
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
export function passSecondFactor(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
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
export function logOut(request: FastifyRequest, reply: FastifyReply, platform: Platform): FastifyReply {
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
