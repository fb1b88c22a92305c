import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import sirv from 'sirv';
import { languageHeaders, PAGE_LANGUAGES, type PageLanguage, pageLanguage } from '../http/negotiation.js';
import { PAGE_HEADERS, serveHome } from './home.js';
import { withServices } from './service-texts.js';

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
  const pages = new Map<PageLanguage, string>();
  for (const language of PAGE_LANGUAGES) {
    const template = await readFile(new URL(`page.${language}.html`, PLAIN_FOLDER), 'utf8');
    pages.set(language, withServices(template, language));
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

/**
 * The page loads only its own files, calls only its own origin, and cannot be framed. `style-src-attr` is for the
 * editor, which positions its parts with style attributes.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** A year: file names contain a hash of their contents. */
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

/**
 * The folder of the built page: beside the compiled server, or in `dist` if the server runs from source. Null if the
 * page was not built.
 */
function findBuiltPage(): string | null {
  const folders = ['../../page/', '../../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((folder) => existsSync(`${folder}index.html`)) ?? null;
}

/** Serves the built page at `/graphiql` and its hashed files, compressed at build time, below it. */
async function serveBuiltPage(server: FastifyInstance, folder: string): Promise<void> {
  const english = await readFile(`${folder}index.html`, 'utf8');
  const pages: Readonly<Record<PageLanguage, string>> = { en: english, fr: inFrench(english) };
  const files = sirv(`${folder}assets`, {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    maxAge: MAX_AGE_SECONDS,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    },
  });
  server.get('/graphiql', (request, reply) => {
    const language = pageLanguage(request);
    return reply
      .headers({ ...HEADERS, ...languageHeaders(language), 'content-type': 'text/html; charset=utf-8' })
      .header('cache-control', 'no-cache')
      .send(pages[language]);
  });
  server.get('/graphiql/assets/*', (request, reply) => {
    reply.hijack();
    // sirv reads the URL itself, relative to its folder.
    request.raw.url = request.raw.url?.slice('/graphiql/assets'.length);
    files(request.raw, reply.raw, () => {
      reply.raw.writeHead(404, HEADERS).end();
    });
  });
}

/** The page's text before its script runs, or if none does. */
const FRENCH = [
  ['lang="en"', 'lang="fr"'],
  ['Passerelle: query the graph', 'Passerelle : interroger le graphe'],
  ['Loading …', 'Chargement …'],
  ['This page needs JavaScript.', 'Cette page a besoin de JavaScript.'],
  ['The home page</a> says how to query without it.', 'La page d’accueil</a> dit comment interroger sans lui.'],
] as const;

function inFrench(html: string): string {
  return FRENCH.reduce((text, [english, french]) => text.replace(english, french), html);
}
