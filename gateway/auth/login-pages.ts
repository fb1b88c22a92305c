import { createHash } from 'node:crypto';
import { type CodedError, ERRORS, type ErrorCode } from '../../kernel/errors.js';
import type { PageLanguage } from '../../runtime/http/negotiation.js';

/** How a login may end on a page, other than with the code of an error. */
type Ending = 'CONNECTED' | 'REFUSED' | 'UNKNOWN' | 'STORE_AWAY' | 'OFF' | 'MISCONFIGURED' | 'NO_GOOD_ANSWER';

/** A page: which sentence it shows, and its status. */
export interface LoginPage {
  readonly sentence: keyof (typeof SENTENCES)['en'];
  readonly status: number;
}

const WORDS = {
  en: { again: 'Log in again', back: 'Back to the page', home: 'Back to Passerelle', request: 'Request' },
  fr: { again: 'Se connecter à nouveau', back: 'Retour à la page', home: 'Retour à Passerelle', request: 'Requête' },
} as const satisfies Record<PageLanguage, object>;

const SENTENCES = {
  en: {
    CONNECTED: 'You are logged in. You can close this page.',
    REFUSED: 'You did not give access. Nothing was stored.',
    UNKNOWN: 'This login has expired or is unknown: started in another browser, used before, or over ten minutes ago.',
    STORE_AWAY: 'This gateway cannot store a login at the moment. Please try again later.',
    OFF: 'Logging in is switched off: the waste platform is not configured here.',
    MISCONFIGURED: 'The waste platform does not accept this gateway: its operator has to fix that.',
    NO_GOOD_ANSWER: 'The waste platform does not respond as it should. Nothing was stored. Please try again later.',
    BAD_USER_INPUT: 'This is no response of the waste platform to the login that was started here. Nothing was stored.',
    RECONNECT_REQUIRED: 'The waste platform no longer accepts the code of this login, which is valid for ten minutes.',
    UPSTREAM_REFUSED_INPUT: 'The waste platform refused the login. If that happens again, contact the operator.',
    RATE_LIMITED: 'The waste platform is busy: wait a minute. If that does not help, it may have blocked your account.',
    INTERNAL: 'The login failed. Nothing was stored. The log has the details under the request id below.',
  },
  fr: {
    CONNECTED: 'Vous êtes connecté. Vous pouvez fermer cette page.',
    REFUSED: 'Vous n’avez pas donné accès. Rien n’a été enregistré.',
    UNKNOWN: 'Connexion expirée ou inconnue : d’un autre navigateur, déjà utilisée, ou vieille de plus de dix minutes.',
    STORE_AWAY: 'Cette passerelle ne peut pas enregistrer de connexion actuellement. Veuillez réessayer plus tard.',
    OFF: 'La connexion est désactivée : aucune application Trackdéchets n’est configurée ici.',
    MISCONFIGURED: 'Trackdéchets n’accepte pas cette passerelle : c’est à son exploitant d’agir.',
    NO_GOOD_ANSWER: 'Trackdéchets ne répond pas comme il devrait. Rien n’a été enregistré. Réessayez plus tard.',
    BAD_USER_INPUT: 'Ce n’est pas une réponse de Trackdéchets à la connexion commencée ici. Rien n’a été enregistré.',
    RECONNECT_REQUIRED: 'Trackdéchets n’accepte plus le code de cette connexion, valable dix minutes.',
    UPSTREAM_REFUSED_INPUT: 'Trackdéchets a refusé la connexion. Si cela se répète, contactez l’exploitant.',
    RATE_LIMITED: 'Trackdéchets est très sollicité : attendez une minute. Sinon, il a peut-être bloqué votre compte.',
    INTERNAL: 'La connexion a échoué. Rien n’a été enregistré. Le journal en dit plus sous l’identifiant ci-dessous.',
  },
} as const satisfies Record<PageLanguage, Partial<Record<Ending | ErrorCode, string>>>;

/** Pages after which a new login would end in the same way, or is not needed. */
const FINAL: ReadonlySet<LoginPage['sentence']> = new Set(['CONNECTED', 'OFF', 'MISCONFIGURED']);

/** Shown after a login that came from no page, where our own pages are off. */
export const CONNECTED: LoginPage = { sentence: 'CONNECTED', status: 200 };
/** Shown when the user clicked "Refuser" at the platform. */
export const REFUSED: LoginPage = { sentence: 'REFUSED', status: 403 };
/** Shown when no pending login matches the browser, state and time. */
export const UNKNOWN_LOGIN: LoginPage = { sentence: 'UNKNOWN', status: 400 };
/** Shown when the store of logins and sessions cannot be reached. */
export const STORE_AWAY: LoginPage = { sentence: 'STORE_AWAY', status: 503 };

/** The page for an error at the start or the end of a login (waste-identity 10.3). */
export function explainFailure({ code }: CodedError, at: 'start' | 'end'): LoginPage {
  const status = ERRORS[code].httpStatus;
  switch (code) {
    case 'SOURCE_OFF':
      // Routes of a service that is switched off do not exist.
      return at === 'start' ? { sentence: 'OFF', status: 404 } : { sentence: 'MISCONFIGURED', status: 503 };
    case 'PERMISSION_DENIED':
      // The subgraph runs in another process and did not get the right token.
      return { sentence: 'MISCONFIGURED', status: 503 };
    case 'RECONNECT_REQUIRED':
      // Not 401, which would require a challenge that a person cannot respond to.
      return { sentence: code, status: 400 };
    case 'UPSTREAM_REFUSED_INPUT':
      return { sentence: code, status: 502 };
    case 'BAD_USER_INPUT':
    case 'RATE_LIMITED':
      return { sentence: code, status };
    case 'UPSTREAM_UNAVAILABLE':
    case 'UPSTREAM_TIMEOUT':
    case 'UPSTREAM_INVALID_RESPONSE':
    case 'DEADLINE_EXCEEDED':
      return { sentence: 'NO_GOOD_ANSWER', status };
    default:
      return { sentence: 'INTERNAL', status: 500 };
  }
}

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
export function loginPage({ sentence }: LoginPage, language: PageLanguage, links: PageLinks): string {
  const { again, back, home, request } = WORDS[language];
  const link = (href: string, text: string) => `<p><a href="${escapeHtml(href)}">${text}</a></p>\n`;
  const onwards = links.back === null ? '' : link(links.back, links.back === '/' ? home : back);
  const retry = FINAL.has(sentence) ? '' : link(links.login, again);
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Passerelle</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${SENTENCES[language][sentence]}</h1>
${retry}${onwards}<p><small>${request} ${escapeHtml(links.requestId)}</small></p>
</main>
</body>
</html>
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
