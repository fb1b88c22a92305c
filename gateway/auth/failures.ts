import { type CodedError, ERRORS, type ErrorCode } from '../../schema/errors.js';
import type { FailurePage } from './pages.js';

/** The user pressed "Refuser" at the platform. */
export const REFUSED: FailurePage = {
  status: 403,
  title: 'You did not give access',
  text: 'The waste platform says that you refused. Nothing was kept here.',
  again: true,
};

/** The browser, the state and the time do not belong to a login that was begun here and is still open. */
export const NOT_UNDER_WAY: FailurePage = {
  status: 400,
  title: 'This login is not under way here',
  text: 'It was begun in another browser, took longer than ten minutes, or has already been used. Begin it again.',
  again: true,
};

/** Where logins and sessions are kept cannot be reached. */
export const NOT_NOW: FailurePage = {
  status: 503,
  title: 'Logging in does not work at the moment',
  text: 'This gateway cannot keep a login for the time being. Try again in a while.',
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
  text: 'This is a mistake of ours. Nothing was kept. It is in our log under the number below.',
};

const MISCONFIGURED: Words = {
  status: 503,
  title: 'Logging in does not work at the moment',
  text: 'The waste platform does not accept this gateway. It is not your fault: whoever runs the gateway must act.',
  again: false,
};

const PAGES: Partial<Record<ErrorCode, Words>> = {
  BAD_USER_INPUT: {
    title: 'This is no answer to a login',
    text: 'What came back is not an answer of the waste platform to the login that was begun here. Nothing was kept.',
  },
  // 401 would need a challenge, and there is none for a person.
  RECONNECT_REQUIRED: {
    status: 400,
    title: 'The login took too long',
    text: 'The waste platform did not take the code of this login any more: it lives ten minutes and works once.',
  },
  UPSTREAM_REFUSED_INPUT: {
    status: 502,
    title: 'The waste platform refused the login',
    text: 'It ended the login with an error. Nothing was kept. If it happens again, tell whoever runs this gateway.',
  },
  SOURCE_OFF: MISCONFIGURED,
  // The subgraph runs elsewhere and was not shown its token.
  PERMISSION_DENIED: MISCONFIGURED,
  RATE_LIMITED: {
    title: 'The waste platform is busy',
    text: 'Too many requests were made to it. Nothing was kept. Wait a minute, then begin again.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'The waste platform cannot be reached',
    text: 'It is down or answers with an error of its own. Nothing was kept. Try again in a while.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'The waste platform took too long',
    text: 'It did not answer in time. Nothing was kept. Try again in a while.',
  },
  DEADLINE_EXCEEDED: {
    title: 'The login took too long',
    text: 'The time allowed for it is over. Nothing was kept. Try again in a while.',
  },
  UPSTREAM_INVALID_RESPONSE: {
    title: 'The waste platform answered in an unknown form',
    text: 'Its answer to the login cannot be read. Nothing was kept. Try again in a while.',
  },
};
