import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

/** The plain query page: each file with the path and type under which it is served. */
const FILES = [
  { path: '/graphiql', file: 'page.html', type: 'text/html; charset=utf-8' },
  { path: '/graphiql/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/graphiql/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

const FOLDER = new URL('./web/plain/', import.meta.url);

/** The page runs its own files and asks its own origin, nothing else; no other page may frame it. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const;

/** Serves the query page, and sends `/` there. Not called when `GRAPHIQL` is off: what is off is a 404. */
export async function servePages(server: FastifyInstance): Promise<void> {
  server.get('/', (_request, reply) => reply.redirect('/graphiql', 302));
  for (const { path, file, type } of FILES) {
    const body = await readFile(new URL(file, FOLDER));
    server.get(path, (_request, reply) => reply.headers({ ...PAGE_HEADERS, 'content-type': type }).send(body));
  }
}
