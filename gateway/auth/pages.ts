import { createHash } from 'node:crypto';

/** The page of a login that failed. */
export interface FailurePage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Whether to offer a new login. */
  readonly again: boolean;
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

/** Renders a page from our own texts only: nothing that a request or the platform sent appears in it. */
export function failurePage({ title, text, again }: FailurePage, links: PageLinks): string {
  const retry = again ? `<p><a href="${escapeHtml(links.login)}">Log in again</a></p>\n` : '';
  return `<!DOCTYPE html>
<html lang="en">
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
${retry}<p><a href="/">Back to Passerelle</a></p>
<p><small>Request ${escapeHtml(links.requestId)}</small></p>
</main>
</body>
</html>
`;
}

/** What a page refers to. */
export interface PageLinks {
  /** Local path that starts a new login. */
  readonly login: string;
  readonly requestId: string;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
