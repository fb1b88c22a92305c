import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Example, readExample } from '../../analyst/read-example.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { languageHeaders, PAGE_LANGUAGES, type PageLanguage, pageLanguage } from '../http/negotiation.js';
import { withServices } from './service-texts.js';

const FOLDER = new URL('../../analyst/home/', import.meta.url);
const EXAMPLES = new URL('../../analyst/examples/', import.meta.url);

/** Examples on the home page: one per service, each joined with another. */
const FEATURED = ['missions-and-their-communes', 'missions-near-a-commune', 'organizations-that-hire'];

/**
 * Serves the home page at `/`, in English or French: an introduction, the state of the sources, examples, and how to
 * connect. Its commands contain the public URL or, if none is set, the origin of the request.
 */
export async function serveHome(server: FastifyInstance, publicUrl: string | null): Promise<void> {
  const examples = (await readExamples()).filter(({ name }) => FEATURED.includes(name));
  const pages = new Map<PageLanguage, string>();
  for (const language of PAGE_LANGUAGES) {
    const template = await readFile(new URL(`home.${language}.html`, FOLDER), 'utf8');
    const items = examples.map((example) => exampleItem(example, language));
    pages.set(language, withServices(template, language).replace('<!-- examples -->', items.join('\n')));
  }
  server.get('/', (request, reply) => {
    const language = pageLanguage(request);
    return reply
      .headers({ ...PAGE_HEADERS, ...languageHeaders(language), 'content-type': 'text/html; charset=utf-8' })
      .send(pages.get(language)?.replaceAll('<!-- origin -->', escapeHtml(publicUrl ?? originOf(request))));
  });
  for (const [file, type] of [
    ['home.css', 'text/css; charset=utf-8'],
    ['home.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const body = await readFile(new URL(file, FOLDER));
    server.get(`/home/${file}`, (_request, reply) =>
      reply.headers({ ...PAGE_HEADERS, 'content-type': type }).send(body),
    );
  }
}

/** All examples, by name. */
export async function readExamples(): Promise<Example[]> {
  const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.graphql')).sort();
  const read = async (file: string) =>
    readExample(file.slice(0, -'.graphql'.length), await readFile(new URL(file, EXAMPLES), 'utf8'));
  return Promise.all(files.map(read));
}

function exampleItem({ name, title, about }: Example, language: PageLanguage): string {
  const link = `<a href="/graphiql#example=${name}">${escapeHtml(title[language])}</a>`;
  return `<li>${link}<br />${escapeHtml(about[language])}</li>`;
}

function originOf({ protocol, headers }: FastifyRequest): string {
  return `${protocol}://${oneHeader(headers, 'host') ?? '127.0.0.1:4000'}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Headers of plain pages: they load only their own files, call only their own origin, and cannot be framed. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const;
