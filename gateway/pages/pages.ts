import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import sirv, { type Options } from 'sirv';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, writtenCredential } from '../../kernel/services.js';
import { languageHeaders, PAGE_LANGUAGES, type PageLanguage, pageLanguage } from '../../runtime/http/negotiation.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS } from '../../runtime/http/server.js';

/**
 * Serves the home page and the analyst page; in its place, if it was not built, the home page with a form for queries.
 * Not called when `GRAPHIQL` is off: these paths are then 404. `publicUrl` is null if none is set: the home page's
 * commands then have the origin of the request.
 */
export async function servePages(
  server: FastifyInstance,
  publicUrl: string | null,
  builtPage = findBuiltPage(),
): Promise<void> {
  const home = await textsOfHome();
  const page = builtPage === null ? home : await textsOfPage(builtPage);
  const headers = builtPage === null ? HOME_HEADERS : BUILT_HEADERS;
  for (const [path, own, texts] of [['/', HOME_HEADERS, home] as const, ['/graphiql', headers, page] as const]) {
    server.get(path, (request, reply) => {
      const language = pageLanguage(request);
      reply.headers({ ...own, ...languageHeaders(language), 'content-type': 'text/html; charset=utf-8' });
      reply.header('cache-control', 'no-cache');
      // By a function: in a text, `$'` of a client's `Host` would stand for the rest of the page.
      return reply.send(
        texts[language].replaceAll('<!-- origin -->', () => escapeHtml(publicUrl ?? originOf(request))),
      );
    });
  }
  server.get('/graphiql/', (_request, reply) => reply.redirect('/graphiql', 308));
  for (const [extension, type] of Object.entries(HOME_TYPES)) {
    const body = await readFile(fileOfHome(extension));
    server.get(`/home/home.${extension}`, (_request, reply) =>
      reply.headers({ ...HOME_HEADERS, 'cache-control': 'no-cache', 'content-type': type }).send(body),
    );
  }
  if (builtPage !== null) serveAssets(server, `${builtPage}assets`);
}

type Texts = Readonly<Record<PageLanguage, string>>;

/** What all pages have. The pages add their policies. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** The home page loads only its own files, calls only its own origin, and cannot be framed. */
const HOME_HEADERS = {
  ...HEADERS,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

const HOME_TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** The home page in all languages, with what it says of the services. */
async function textsOfHome(): Promise<Texts> {
  const texts = PAGE_LANGUAGES.map(async (language) => {
    const template = await readFile(fileOfHome(`${language}.html`), 'utf8');
    return [language, withServices(template, language)] as const;
  });
  return Object.fromEntries(await Promise.all(texts)) as Texts;
}

/** Fills the places of a page that name the services, or how callers send their credentials. */
function withServices(template: string, language: PageLanguage): string {
  return template
    .replace('<!-- services -->', () => SERVICES.map((name) => stateItem(name, language)).join('\n'))
    .replace('<!-- credentials -->', () => SERVICES.map((name) => credentialText(name, language)).join(', '));
}

function stateItem(name: ServiceName, language: PageLanguage): string {
  const has = SERVICE_ENTRIES[name].has[language];
  return `<li data-service="${name}"><strong>${name}</strong> ${has} <span class="state">?</span></li>`;
}

function credentialText(name: ServiceName, language: PageLanguage): string {
  const { credential } = SERVICE_ENTRIES[name];
  if (credential.kind === 'key') return `<code>${credential.header}</code>`;
  const { en, fr } = credential.platform;
  return `<code>${writtenCredential(name, '…')}</code> ${{ en: `for the ${en}`, fr: `pour ${fr}` }[language]}`;
}

/** A text without the characters that HTML reads. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function fileOfHome(end: string): URL {
  return new URL(`../../analyst/home/home.${end}`, import.meta.url);
}

function originOf({ protocol, headers }: FastifyRequest): string {
  return `${protocol}://${oneHeader(headers, 'host') ?? '127.0.0.1:4000'}`;
}

/**
 * The analyst page loads only its own files, calls only its own origin, and cannot be framed. `style-src-attr` is for
 * the editor, which positions its parts with style attributes.
 */
const BUILT_HEADERS = {
  ...SECURITY_HEADERS,
  ...HEADERS,
  'content-security-policy': [
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
  ].join('; '),
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

/** Serves the hashed files of the built page, compressed at build time. */
function serveAssets(server: FastifyInstance, folder: string): void {
  const setHeaders: Options['setHeaders'] = (response) => {
    for (const [name, value] of Object.entries(BUILT_HEADERS)) response.setHeader(name, value);
  };
  const kept = { etag: true, immutable: true, maxAge: MAX_AGE_SECONDS };
  const files = sirv(folder, { ...kept, brotli: true, gzip: true, setHeaders });
  server.get('/graphiql/assets/*', (request, reply) => {
    reply.hijack();
    // sirv reads the URL itself, relative to its folder.
    request.raw.url = request.raw.url?.slice('/graphiql/assets'.length);
    // It hears no error of a file that is gone or cannot be read, which would end the process.
    reply.raw.once('pipe', (file: Readable) => file.once('error', () => reply.raw.destroy()));
    files(request.raw, reply.raw, () => {
      reply.raw.writeHead(404, BUILT_HEADERS).end();
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

async function textsOfPage(folder: string): Promise<Texts> {
  const en = await readFile(`${folder}index.html`, 'utf8');
  return { en, fr: FRENCH.reduce((text, [english, french]) => text.replace(english, () => french), en) };
}
