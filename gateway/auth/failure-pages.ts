import { createHash } from 'node:crypto';
import { type CodedError, ERRORS, type ErrorCode } from '../../kernel/errors.js';
import type { PageLanguage } from '../../runtime/http/negotiation.js';

/** The page on which a login ends, in every language. */
export interface FailurePage extends Readonly<Record<PageLanguage, { readonly title: string; readonly text: string }>> {
  /** If omitted, that of the error. */
  readonly status?: number;
  /** Whether to offer a new login. */
  readonly again: boolean;
}

/** A page that offers a new login, unless said otherwise: title and text in English, then in French. */
function page(
  { again = true, ...more }: Partial<Pick<FailurePage, 'status' | 'again'>>,
  ...[enTitle, enText, frTitle, frText]: readonly [string, string, string, string]
): FailurePage {
  return { ...more, again, en: { title: enTitle, text: enText }, fr: { title: frTitle, text: frText } };
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
export function failurePage(shown: FailurePage, language: PageLanguage, links: PageLinks): string {
  const { title, text } = shown[language];
  const { again, back, home, request } = WORDS[language];
  const { login } = links;
  const way = links.back === '/' ? home : back;
  const onwards = links.back === null ? '' : `<p><a href="${escapeHtml(links.back)}">${way}</a></p>\n`;
  const retry = shown.again ? `<p><a href="${escapeHtml(login)}">${again}</a></p>\n` : '';
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
export const CONNECTED = page(
  { status: 200, again: false },
  'You are logged in',
  'You can close this page.',
  'Vous êtes connecté',
  'Vous pouvez fermer cette page.',
);

/** Shown when the user clicked "Refuser" at the platform. */
export const REFUSED = page(
  { status: 403 },
  'You did not give access',
  'The waste platform reports that you denied access. Nothing was stored.',
  'Vous n’avez pas donné accès',
  'Trackdéchets indique que vous avez refusé l’accès. Rien n’a été enregistré.',
);

/** Shown when no pending login matches the browser, state and time. */
export const UNKNOWN_LOGIN = page(
  { status: 400 },
  'This login has expired or is unknown',
  'It was started in another browser, took longer than ten minutes, or has already been used. Please start again.',
  'Cette connexion a expiré ou est inconnue',
  'Elle a commencé dans un autre navigateur, a pris plus de dix minutes ou a déjà servi. Veuillez recommencer.',
);

/** Shown when the store of logins and sessions cannot be reached. */
export const STORE_UNAVAILABLE = page(
  { status: 503 },
  'Logging in is not possible at the moment',
  'This gateway cannot store a login right now. Please try again later.',
  'La connexion est impossible pour le moment',
  'Cette passerelle ne peut pas enregistrer de connexion actuellement. Veuillez réessayer plus tard.',
);

/** The page for an error at the start or the end of a login (waste-identity 10.3). */
export function explainFailure({ code }: CodedError, at: 'start' | 'end'): FailurePage {
  if (at === 'start' && code === 'SOURCE_OFF') return OFF;
  return { status: ERRORS[code].httpStatus, ...(PAGES[code] ?? INTERNAL_FAILURE) };
}

/** Routes of a service that is switched off do not exist: 404. */
const OFF = page(
  { status: 404, again: false },
  'Logging in is switched off',
  'The waste platform is not configured here.',
  'La connexion est désactivée',
  'Aucune application Trackdéchets n’est configurée ici.',
);

const INTERNAL_FAILURE = page(
  { status: 500 },
  'The login failed',
  'This is an internal error. Nothing was stored. The log has the details under the request id below.',
  'La connexion a échoué',
  'C’est une erreur interne. Rien n’a été enregistré. Le journal en dit plus sous l’identifiant ci-dessous.',
);

const MISCONFIGURED = page(
  { status: 503, again: false },
  'Logging in is not possible at the moment',
  'The waste platform does not accept this gateway. This is not your fault; the operator has to fix it.',
  'La connexion est impossible pour le moment',
  'Trackdéchets n’accepte pas cette passerelle. Vous n’y êtes pour rien : c’est à son exploitant d’agir.',
);

const NO_GOOD_ANSWER = page(
  {},
  'The waste platform does not respond as it should',
  'It is down, takes too long, or sends what cannot be read. Nothing was stored. Please try again later.',
  'Trackdéchets ne répond pas comme il devrait',
  'Il est en panne, trop lent, ou envoie une réponse illisible. Rien n’a été enregistré. Veuillez réessayer plus tard.',
);

const PAGES: Partial<Record<ErrorCode, FailurePage>> = {
  BAD_USER_INPUT: page(
    {},
    'This is not a login response',
    'The request is not a valid response of the waste platform to the login that was started here. Nothing was stored.',
    'Ce n’est pas une réponse de connexion',
    'Cette requête n’est pas une réponse valable de Trackdéchets à la connexion commencée ici. Rien n’a été enregistré.',
  ),
  // Not 401, which would require a challenge that a person cannot respond to.
  RECONNECT_REQUIRED: page(
    { status: 400 },
    'The login took too long',
    'The waste platform no longer accepted the code of this login: it is valid once, for ten minutes.',
    'La connexion a pris trop de temps',
    'Trackdéchets n’accepte plus le code de cette connexion : il sert une fois, pendant dix minutes.',
  ),
  UPSTREAM_REFUSED_INPUT: page(
    { status: 502 },
    'The waste platform refused the login',
    'It ended the login with an error. Nothing was stored. If this happens again, contact the operator of this gateway.',
    'Trackdéchets a refusé la connexion',
    'La connexion s’y est terminée par une erreur. Rien n’a été enregistré. Si cela se répète, contactez l’exploitant de cette passerelle.',
  ),
  SOURCE_OFF: MISCONFIGURED,
  // The subgraph runs in another process and did not get the right token.
  PERMISSION_DENIED: MISCONFIGURED,
  RATE_LIMITED: page(
    {},
    'The waste platform is busy',
    'It received too many requests. Nothing was stored. Wait a minute, then start again. If that does not help, it may have blocked your account: ask its support.',
    'Trackdéchets est très sollicité',
    'Il a reçu trop de requêtes. Rien n’a été enregistré. Attendez une minute, puis recommencez. Si cela ne suffit pas, il a peut-être bloqué votre compte : demandez à son assistance.',
  ),
  UPSTREAM_UNAVAILABLE: NO_GOOD_ANSWER,
  UPSTREAM_TIMEOUT: NO_GOOD_ANSWER,
  UPSTREAM_INVALID_RESPONSE: NO_GOOD_ANSWER,
  DEADLINE_EXCEEDED: NO_GOOD_ANSWER,
};
