import { createHash } from 'node:crypto';
import { type CodedError, ERRORS, type ErrorCode } from '../../kernel/errors.js';
import type { PageLanguage } from '../../runtime/http/negotiation.js';

/** The page on which a login ends, in every language. */
export interface FailurePage extends Readonly<Record<PageLanguage, FailureText>> {
  readonly status: number;
  /** Whether to offer a new login. */
  readonly again: boolean;
}

/** The words of a page in one language. */
interface FailureText {
  readonly title: string;
  readonly text: string;
}

const WORDS = {
  en: { again: 'Log in again', back: 'Back to the page', home: 'Back to Passerelle', request: 'Request' },
  fr: { again: 'Se connecter à nouveau', back: 'Retour à la page', home: 'Retour à Passerelle', request: 'Requête' },
} as const satisfies Record<PageLanguage, object>;

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;background:#f6f6f6;color:#161616}
main{max-width:34rem;margin:3rem auto;padding:2rem;background:#fff}
h1{font-size:1.4rem;margin-top:0}a{color:#000091}small{color:#555}
@media (prefers-color-scheme:dark){body{background:#161616;color:#eee}main{background:#242424}a{color:#a1a1f8}small{color:#aaa}}`;

/** The page loads, runs, frames and posts nothing; its URL, which may contain a code, is never sent as referrer. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Renders a page from our own texts: of what a request or the platform sent, it shows only the checked address of the
 * page that the login came from.
 */
export function failurePage(page: FailurePage, language: PageLanguage, links: PageLinks): string {
  const { title, text } = page[language];
  const { again, back, home, request } = WORDS[language];
  const { login } = links;
  const way = links.back === '/' ? home : back;
  const onwards = links.back === null ? '' : `<p><a href="${escapeHtml(links.back)}">${way}</a></p>\n`;
  const retry = page.again ? `<p><a href="${escapeHtml(login)}">${again}</a></p>\n` : '';
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Passerelle</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${retry}${onwards}<p><small>${request} ${escapeHtml(links.requestId)}</small></p>
</main>
</body>
</html>
`;
}

/**
 * A page that goes on to an address of ours at once: a request of our own page has the cookie of the session, which
 * browsers do not send with what comes from another site.
 */
export function refreshingPage(address: string): string {
  return `<!DOCTYPE html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">
<title>Passerelle</title>
`;
}

/** What a page links to. */
interface PageLinks {
  /** Local path that starts a new login. */
  readonly login: string;
  /** The page that the login came from, already checked; `/` if unknown, null if there is none. */
  readonly back: string | null;
  readonly requestId: string;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Shown after a login that came from no page, where our own pages are off. */
export const CONNECTED: FailurePage = {
  status: 200,
  again: false,
  en: { title: 'You are logged in', text: 'You can close this page.' },
  fr: { title: 'Vous êtes connecté', text: 'Vous pouvez fermer cette page.' },
};

/** Shown when the user clicked "Refuser" at the platform. */
export const REFUSED: FailurePage = {
  status: 403,
  again: true,
  en: {
    title: 'You did not give access',
    text: 'The waste platform reports that you denied access. Nothing was stored.',
  },
  fr: {
    title: 'Vous n’avez pas donné accès',
    text: 'Trackdéchets indique que vous avez refusé l’accès. Rien n’a été enregistré.',
  },
};

/** Shown when no pending login matches the browser, state and time. */
export const UNKNOWN_LOGIN: FailurePage = {
  status: 400,
  again: true,
  en: {
    title: 'This login has expired or is unknown',
    text: 'It was started in another browser, took longer than ten minutes, or has already been used. Please start again.',
  },
  fr: {
    title: 'Cette connexion a expiré ou est inconnue',
    text: 'Elle a commencé dans un autre navigateur, a pris plus de dix minutes ou a déjà servi. Veuillez recommencer.',
  },
};

/** Shown when the store of logins and sessions cannot be reached. */
export const STORE_UNAVAILABLE: FailurePage = {
  status: 503,
  again: true,
  en: {
    title: 'Logging in is not possible at the moment',
    text: 'This gateway cannot store a login right now. Please try again later.',
  },
  fr: {
    title: 'La connexion est impossible pour le moment',
    text: 'Cette passerelle ne peut pas enregistrer de connexion actuellement. Veuillez réessayer plus tard.',
  },
};

/** The page for an error at the start or the end of a login (waste-identity 10.3). */
export function explainFailure({ code }: CodedError, at: 'start' | 'end'): FailurePage {
  if (at === 'start' && code === 'SOURCE_OFF') return OFF;
  const { status = ERRORS[code].httpStatus, again = true, en, fr } = PAGES[code] ?? INTERNAL_FAILURE;
  return { status, again, en, fr };
}

/** Routes of a service that is switched off do not exist: 404. */
const OFF: FailurePage = {
  status: 404,
  again: false,
  en: { title: 'Logging in is switched off', text: 'The waste platform is not configured here.' },
  fr: { title: 'La connexion est désactivée', text: 'Aucune application Trackdéchets n’est configurée ici.' },
};

/** A page with the status of the error's code unless it has its own; offers a new login unless `again` is false. */
type Failure = Partial<FailurePage> & Pick<FailurePage, 'en' | 'fr'>;

const INTERNAL_FAILURE: Failure = {
  status: 500,
  en: {
    title: 'The login failed',
    text: 'This is an internal error. Nothing was stored. The log has the details under the request id below.',
  },
  fr: {
    title: 'La connexion a échoué',
    text: 'C’est une erreur interne. Rien n’a été enregistré. Le journal en dit plus sous l’identifiant ci-dessous.',
  },
};

const MISCONFIGURED: Failure = {
  status: 503,
  again: false,
  en: {
    title: 'Logging in is not possible at the moment',
    text: 'The waste platform does not accept this gateway. This is not your fault; the operator has to fix it.',
  },
  fr: {
    title: 'La connexion est impossible pour le moment',
    text: 'Trackdéchets n’accepte pas cette passerelle. Vous n’y êtes pour rien : c’est à son exploitant d’agir.',
  },
};

const NO_GOOD_ANSWER: Failure = {
  en: {
    title: 'The waste platform does not respond as it should',
    text: 'It is down, takes too long, or sends what cannot be read. Nothing was stored. Please try again later.',
  },
  fr: {
    title: 'Trackdéchets ne répond pas comme il devrait',
    text: 'Il est en panne, trop lent, ou envoie une réponse illisible. Rien n’a été enregistré. Veuillez réessayer plus tard.',
  },
};

const PAGES: Partial<Record<ErrorCode, Failure>> = {
  BAD_USER_INPUT: {
    en: {
      title: 'This is not a login response',
      text: 'The request is not a valid response of the waste platform to the login that was started here. Nothing was stored.',
    },
    fr: {
      title: 'Ce n’est pas une réponse de connexion',
      text: 'Cette requête n’est pas une réponse valable de Trackdéchets à la connexion commencée ici. Rien n’a été enregistré.',
    },
  },
  // Not 401, which would require a challenge that a person cannot respond to.
  RECONNECT_REQUIRED: {
    status: 400,
    en: {
      title: 'The login took too long',
      text: 'The waste platform no longer accepted the code of this login: it is valid once, for ten minutes.',
    },
    fr: {
      title: 'La connexion a pris trop de temps',
      text: 'Trackdéchets n’accepte plus le code de cette connexion : il sert une fois, pendant dix minutes.',
    },
  },
  UPSTREAM_REFUSED_INPUT: {
    status: 502,
    en: {
      title: 'The waste platform refused the login',
      text: 'It ended the login with an error. Nothing was stored. If this happens again, contact the operator of this gateway.',
    },
    fr: {
      title: 'Trackdéchets a refusé la connexion',
      text: 'La connexion s’y est terminée par une erreur. Rien n’a été enregistré. Si cela se répète, contactez l’exploitant de cette passerelle.',
    },
  },
  SOURCE_OFF: MISCONFIGURED,
  // The subgraph runs in another process and did not get the right token.
  PERMISSION_DENIED: MISCONFIGURED,
  RATE_LIMITED: {
    en: {
      title: 'The waste platform is busy',
      text: 'It received too many requests. Nothing was stored. Wait a minute, then start again. If that does not help, it may have blocked your account: ask its support.',
    },
    fr: {
      title: 'Trackdéchets est très sollicité',
      text: 'Il a reçu trop de requêtes. Rien n’a été enregistré. Attendez une minute, puis recommencez. Si cela ne suffit pas, il a peut-être bloqué votre compte : demandez à son assistance.',
    },
  },
  UPSTREAM_UNAVAILABLE: NO_GOOD_ANSWER,
  UPSTREAM_TIMEOUT: NO_GOOD_ANSWER,
  UPSTREAM_INVALID_RESPONSE: NO_GOOD_ANSWER,
  DEADLINE_EXCEEDED: NO_GOOD_ANSWER,
};
