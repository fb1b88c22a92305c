import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Express's own page for an unknown route (`Cannot GET /…`) or an error in production (`Bad Request`). */
export function sendErrorPage(reply: FastifyReply, status: number, line: string): FastifyReply {
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
  reply.header('content-security-policy', "default-src 'none'");
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}

/** Express's redirect: the body repeats the address, including any code (waste-identity 3.4). */
export function redirect(location: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wantsHtml = request.headers.accept?.includes('text/html') === true;
  const text = `Found. Redirecting to ${wantsHtml ? escapeHtml(location) : location}`;
  reply.code(302).headers({ location, vary: 'Origin, Accept' });
  if (wantsHtml) return reply.type('text/html; charset=utf-8').send(`<p>${text}</p>`);
  return reply.type('text/plain; charset=utf-8').send(text);
}

/** Sets the headers that middleware gives every reply, unless the route has set them. */
export function setDefaults(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value);
}

/** Sends a text without a content type, which fastify adds to every text but not to streams. */
export function sendUntyped(reply: FastifyReply, status: number, text: string): FastifyReply {
  reply.code(status).header('content-length', String(Buffer.byteLength(text)));
  return reply.send(Readable.from([text], { objectMode: false }));
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
