import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { languageHeaders, PAGE_LANGUAGES, type PageLanguage, pageLanguage } from '../http/negotiation.js';
import { serveHome } from './home.js';
import { PAGE_HEADERS } from './page-headers.js';
import { findBuiltPage, serveBuiltPage } from './site.js';

/** The files of the plain query page, each with its path and media type. */
const PLAIN_FILES = [
  { path: '/graphiql/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: '/graphiql/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
] as const;

const PLAIN_FOLDER = new URL('../../analyst/plain/', import.meta.url);

/**
 * Serves the home page and the analyst page, or the plain query page if the analyst page was not built. Not called when
 * `GRAPHIQL` is off: these paths are then 404.
 */
export async function servePages(
  server: FastifyInstance,
  publicUrl: string | null,
  builtPage = findBuiltPage(),
): Promise<void> {
  await serveHome(server, publicUrl);
  server.get('/graphiql/', (_request, reply) => reply.redirect('/graphiql', 308));
  if (builtPage !== null) await serveBuiltPage(server, builtPage);
  else await servePlainPage(server);
}

async function servePlainPage(server: FastifyInstance): Promise<void> {
  const pages = new Map<PageLanguage, Buffer>();
  for (const language of PAGE_LANGUAGES) {
    pages.set(language, await readFile(new URL(`page.${language}.html`, PLAIN_FOLDER)));
  }
  server.get('/graphiql', (request, reply) => {
    const language = pageLanguage(request);
    return reply
      .headers({ ...PAGE_HEADERS, ...languageHeaders(language), 'content-type': 'text/html; charset=utf-8' })
      .send(pages.get(language));
  });
  for (const { path, file, type } of PLAIN_FILES) {
    const body = await readFile(new URL(file, PLAIN_FOLDER));
    server.get(path, (_request, reply) => reply.headers({ ...PAGE_HEADERS, 'content-type': type }).send(body));
  }
}
