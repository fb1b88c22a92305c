import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PAGE_HEADERS } from './page-headers.js';
import { type Example, readExample } from './read-example.js';

const FOLDER = new URL('./home/', import.meta.url);
const EXAMPLES = new URL('./examples/', import.meta.url);

/** Examples on the home page: one per service, each joined with another. */
const FEATURED = ['missions-and-their-communes', 'missions-near-a-commune', 'organizations-that-hire'];

/** Serves the home page at `/`: an introduction, the state of the sources, examples, and how to connect. */
export async function serveHome(server: FastifyInstance): Promise<void> {
  const template = await readFile(new URL('home.html', FOLDER), 'utf8');
  const examples = (await readExamples()).filter(({ name }) => FEATURED.includes(name));
  const html = template.replace('<!-- examples -->', examples.map(exampleItem).join('\n'));
  server.get('/', (request, reply) =>
    reply
      .headers({ ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' })
      .send(html.replaceAll('<!-- origin -->', escapeHtml(originOf(request)))),
  );
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

function exampleItem({ name, title, about }: Example): string {
  return `<li><a href="/graphiql#example=${name}">${escapeHtml(title.en)}</a><br />${escapeHtml(about.en)}</li>`;
}

/** The origin of the request, for commands to copy. */
function originOf({ protocol, headers }: FastifyRequest): string {
  return `${protocol}://${headers.host ?? '127.0.0.1:4000'}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
