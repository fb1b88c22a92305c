import { createHash } from 'node:crypto';
import type { PageLanguage } from '../http/negotiation.js';

/** The page of a login that failed, in every language. */
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
  const retry = page.again ? `<p><a href="${escapeHtml(links.login)}">${again}</a></p>\n` : '';
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
${retry}<p><a href="${escapeHtml(links.back)}">${links.back === '/' ? home : back}</a></p>
<p><small>${request} ${escapeHtml(links.requestId)}</small></p>
</main>
</body>
</html>
`;
}

/** What a page links to. */
export interface PageLinks {
  /** Local path that starts a new login. */
  readonly login: string;
  /** The page that the login came from, already checked; `/` if unknown. */
  readonly back: string;
  readonly requestId: string;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
