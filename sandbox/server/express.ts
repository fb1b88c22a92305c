import { type Reply, textReply } from './reply.js';

/** Express's own page for an unknown route (`Cannot GET /…`) or an error in production (`Bad Request`). */
export function expressErrorPage(status: number, line: string): Reply {
  const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>${escapeHtml(line)}</pre>
</body>
</html>
`;
  const reply = textReply(status, page, 'text/html; charset=utf-8');
  return { ...reply, headers: { ...reply.headers, 'content-security-policy': "default-src 'none'" } };
}

/** The text escaped for HTML, quoted attributes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
