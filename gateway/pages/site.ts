import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import sirv from 'sirv';
import { languageHeaders, type PageLanguage, pageLanguage } from '../http/negotiation.js';

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
export function findBuiltPage(): string | null {
  const folders = ['../../page/', '../../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((folder) => existsSync(`${folder}index.html`)) ?? null;
}

/** Serves the built page at `/graphiql` and its hashed files, compressed at build time, below it. */
export async function serveBuiltPage(server: FastifyInstance, folder: string): Promise<void> {
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
