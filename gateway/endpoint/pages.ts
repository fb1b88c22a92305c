import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { serveHome } from '../web/home.js';
import { PAGE_HEADERS } from '../web/page-headers.js';
import { findBuiltPage, serveBuiltPage } from '../web/site.js';

/** The plain query page: each file with the path and type under which it is served. */
const PLAIN_FILES = [
  { path: '/graphiql', file: 'page.html', type: 'text/html; charset=utf-8' },
  { path: '/graphiql/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/graphiql/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

const PLAIN_FOLDER = new URL('../web/plain/', import.meta.url);

/**
 * Serves the home and the analyst page; where that was not built, the plain query page. Not called when `GRAPHIQL` is
 * off: what is off is a 404.
 */
export async function servePages(server: FastifyInstance, builtPage = findBuiltPage()): Promise<void> {
  await serveHome(server);
  server.get('/graphiql/', (_request, reply) => reply.redirect('/graphiql', 308));
  if (builtPage !== null) await serveBuiltPage(server, builtPage);
  else await servePlainPage(server);
}

async function servePlainPage(server: FastifyInstance): Promise<void> {
  for (const { path, file, type } of PLAIN_FILES) {
    const body = await readFile(new URL(file, PLAIN_FOLDER));
    server.get(path, (_request, reply) => reply.headers({ ...PAGE_HEADERS, 'content-type': type }).send(body));
  }
}
