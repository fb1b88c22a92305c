import { type CodedError, ERRORS, type ErrorCode } from '../../schema/errors.js';
import type { FailurePage } from './pages.js';

/** The user pressed "Refuser" at the platform. */
export const REFUSED: FailurePage = {
  status: 403,
  title: 'You did not give access',
  text: 'The waste platform says that you refused. Nothing was stored here.',
  again: true,
};

/** Browser, state or time do not belong to a login that was started here and is still open. */
export const NOT_UNDER_WAY: FailurePage = {
  status: 400,
  title: 'This login is not under way here',
  text: 'It was started in another browser, took longer than ten minutes, or has already been used. Please start again.',
  again: true,
};

/** The store of logins and sessions cannot be reached. */
export const NOT_NOW: FailurePage = {
  status: 503,
  title: 'Logging in does not work at the moment',
  text: 'This gateway cannot store a login right now. Please try again later.',
  again: true,
};

/** The page for an error at the start of a login or at its end (waste-identity 10.3). */
export function explainFailure({ code }: CodedError, at: 'start' | 'end'): FailurePage {
  if (at === 'start' && code === 'SOURCE_OFF') return OFF;
  const { status = ERRORS[code].httpStatus, title, text, again = true } = PAGES[code] ?? MISTAKE;
  return { status, title, text, again };
}

/** A route of a service that is switched off does not exist: 404. */
const OFF: FailurePage = {
  status: 404,
  title: 'Logging in is switched off',
  text: 'The waste platform is not configured here.',
  again: false,
};

type Words = Partial<FailurePage> & Pick<FailurePage, 'title' | 'text'>;

const MISTAKE: Words = {
  status: 500,
  title: 'The login failed',
  text: 'This is an internal error. Nothing was stored. Our log has it under the number below.',
};

const MISCONFIGURED: Words = {
  status: 503,
  title: 'Logging in does not work at the moment',
  text: 'The waste platform does not accept this gateway. This is not your fault: its operator has to act.',
  again: false,
};

const PAGES: Partial<Record<ErrorCode, Words>> = {
  BAD_USER_INPUT: {
    title: 'This is no answer to a login',
    text: 'What came back is not a response of the waste platform to the login that was started here. Nothing was stored.',
  },
  // 401 would need a challenge, and a person has no way to answer one.
  RECONNECT_REQUIRED: {
    status: 400,
    title: 'The login took too long',
    text: 'The waste platform did not take the code of this login any more: it lives ten minutes and works once.',
  },
  UPSTREAM_REFUSED_INPUT: {
    status: 502,
    title: 'The waste platform refused the login',
    text: 'It ended the login with an error. Nothing was stored. If this happens again, contact the operator of this gateway.',
  },
  SOURCE_OFF: MISCONFIGURED,
  // The subgraph runs elsewhere and was not shown its token.
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
    text: 'The time allowed for it is over. Nothing was stored. Please try again later.',
  },
  UPSTREAM_INVALID_RESPONSE: {
    title: 'The waste platform answered in an unknown form',
    text: 'Its response to the login cannot be read. Nothing was stored. Please try again later.',
  },
};
