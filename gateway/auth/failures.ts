import { type CodedError, ERRORS, type ErrorCode } from '../../schema/errors.js';
import type { FailurePage } from './pages.js';

/** Shown when the user clicked "Refuser" at the platform. */
export const REFUSED: FailurePage = {
  status: 403,
  title: 'You did not give access',
  text: 'The waste platform reports that you denied access. Nothing was stored.',
  again: true,
};

/** Shown when browser, state or time match no pending login. */
export const UNKNOWN_LOGIN: FailurePage = {
  status: 400,
  title: 'This login has expired or is unknown',
  text: 'It was started in another browser, took longer than ten minutes, or has already been used. Please start again.',
  again: true,
};

/** Shown when the store of logins and sessions cannot be reached. */
export const STORE_UNAVAILABLE: FailurePage = {
  status: 503,
  title: 'Logging in is not possible at the moment',
  text: 'This gateway cannot store a login right now. Please try again later.',
  again: true,
};

/** The page for an error at the start or the end of a login (waste-identity 10.3). */
export function explainFailure({ code }: CodedError, at: 'start' | 'end'): FailurePage {
  if (at === 'start' && code === 'SOURCE_OFF') return OFF;
  const { status = ERRORS[code].httpStatus, title, text, again = true } = PAGES[code] ?? INTERNAL_FAILURE;
  return { status, title, text, again };
}

/** Routes of a service that is switched off do not exist: 404. */
const OFF: FailurePage = {
  status: 404,
  title: 'Logging in is switched off',
  text: 'The waste platform is not configured here.',
  again: false,
};

type FailureText = Partial<FailurePage> & Pick<FailurePage, 'title' | 'text'>;

const INTERNAL_FAILURE: FailureText = {
  status: 500,
  title: 'The login failed',
  text: 'This is an internal error. Nothing was stored. The log has the details under the request id below.',
};

const MISCONFIGURED: FailureText = {
  status: 503,
  title: 'Logging in is not possible at the moment',
  text: 'The waste platform does not accept this gateway. This is not your fault; the operator has to fix it.',
  again: false,
};

const PAGES: Partial<Record<ErrorCode, FailureText>> = {
  BAD_USER_INPUT: {
    title: 'This is not a login response',
    text: 'The request is not a valid response of the waste platform to the login that was started here. Nothing was stored.',
  },
  // Not 401, which would require a challenge that a person cannot respond to.
  RECONNECT_REQUIRED: {
    status: 400,
    title: 'The login took too long',
    text: 'The waste platform no longer accepted the code of this login: it is valid once, for ten minutes.',
  },
  UPSTREAM_REFUSED_INPUT: {
    status: 502,
    title: 'The waste platform refused the login',
    text: 'It ended the login with an error. Nothing was stored. If this happens again, contact the operator of this gateway.',
  },
  SOURCE_OFF: MISCONFIGURED,
  // The subgraph runs in another process and did not get the right token.
  PERMISSION_DENIED: MISCONFIGURED,
  RATE_LIMITED: {
    title: 'The waste platform is busy',
    text: 'It received too many requests. Nothing was stored. Wait a minute, then start again.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'The waste platform cannot be reached',
    text: 'It is down or responds with an error. Nothing was stored. Please try again later.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'The waste platform took too long',
    text: 'It did not respond in time. Nothing was stored. Please try again later.',
  },
  DEADLINE_EXCEEDED: {
    title: 'The login took too long',
    text: 'Its deadline was exceeded. Nothing was stored. Please try again later.',
  },
  UPSTREAM_INVALID_RESPONSE: {
    title: 'The waste platform sent an unknown response',
    text: 'Its response to the login cannot be read. Nothing was stored. Please try again later.',
  },
};
