import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, listen } from '../../gateway/endpoint/listener.js';
import { servePages } from '../../gateway/pages/pages.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { leaves } from './support.js';

const read = (file: string): string => readFileSync(new URL(`../../analyst/${file}`, import.meta.url), 'utf8');

/** Names that are the same in both languages. */
const SAME = ['Passerelle', 'work-study', 'volunteering', 'waste-identity'];

describe('The home page', () => {
  const [english, french] = [read('home/home.en.html'), read('home/home.fr.html')];

  test('has the same elements in both languages', () => {
    expect(elementsOf(french)).toEqual(elementsOf(english));
  });

  test('leaves no text untranslated', () => {
    const texts = new Set(textsOf(english));
    expect(textsOf(french).filter((text) => texts.has(text) && !SAME.includes(text))).toEqual([]);
  });
});

test('The script of the home page says all in both languages', () => {
  const [, source = ''] = /^const TEXTS = (\{.*?^\});$/ms.exec(read('home/home.js')) ?? [];
  const { en, fr } = runInNewContext(`(${source})`);
  const [english, french] = [leaves(en), leaves(fr)];
  expect(Object.keys(french)).toEqual(Object.keys(english));
  expect(Object.entries(english).filter(([key, text]) => french[key] === text)).toEqual([]);
});

const PUBLIC_URL = 'https://passerelle.example';

describe('Pages are served', () => {
  const servers: ReturnType<typeof createHttpServer>[] = [];
  let [built, plain] = ['', ''];
  beforeAll(async () => {
    const serve = async (publicUrl: string | null, ...folder: [null?]): Promise<string> => {
      const server = createHttpServer({
        requestDeadlineMs: 25_000,
        fastPath: null,
        log: createMemoryLog(),
        phase: () => 'ready',
      });
      servers.push(server);
      await servePages(server, publicUrl, ...folder);
      return (await listen(server, '127.0.0.1', 0)).url;
    };
    built = await serve(PUBLIC_URL);
    plain = await serve(null, null);
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test('with commands for the public URL, else for the origin that was asked', async () => {
    const commands = async (url: string) => /curl (\S+)\/graphql/.exec(await (await fetch(url)).text())?.[1];
    expect([await commands(built), await commands(plain)]).toEqual([PUBLIC_URL, plain]);
  });

  test.each([
    ['fr', 'fr'],
    ['fr-CA, en;q=0.8', 'fr'],
    ['de, fr;q=0.5, en;q=0.3', 'fr'],
    ['en;q=0.5, fr', 'fr'],
    ['en-GB, fr', 'en'],
    ['fr;q=0, de', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['fr;q=x', 'en'],
  ])('to a browser that wants "%s" in %s', async (accepted, language) => {
    const response = await fetch(plain, { headers: { 'accept-language': accepted } });
    expect(response.headers.get('content-language')).toBe(language);
    expect(response.headers.get('vary')).toContain('Accept-Language');
    expect(await response.text()).toContain(`<html lang="${language}">`);
  });

  test('and the home page has the place of the analyst page where that was not built', async () => {
    expect(await (await fetch(`${plain}/graphiql`)).text()).toBe(await (await fetch(plain)).text());
  });

  test('in French throughout, the examples too', async () => {
    for (const [url, texts] of [
      [built, ['Commencer par une question', 'Missions de bénévolat']],
      [
        `${built}/graphiql`,
        ['Chargement …', 'Cette page a besoin de JavaScript.', 'La page d’accueil', '<title>Passerelle :'],
      ],
    ] as const) {
      const html = await (await fetch(`${url}?lang=fr`, { headers: { 'accept-language': 'en' } })).text();
      for (const text of texts) expect(html).toContain(text);
      expect(html).not.toMatch(/Loading|This page needs|Start with a question/);
    }
  });
});

/** The elements of a page, in order, without labels and language. */
function elementsOf(html: string): string[] {
  return [...html.matchAll(/<[^>]+>/g)]
    .map(([element]) => element.replace(/\s+/g, ' ').replace(/ ?>/, '>'))
    .map((element) => element.replace(/ aria-label="[^"]*"/, '').replace(/lang="(en|fr)"|\?lang=(en|fr)/g, ''));
}

/** What a page tells people, in texts and labels. */
function textsOf(html: string): string[] {
  const labels = [...html.matchAll(/aria-label="([^"]*)"/g)].map(([, label = '']) => label);
  const prose = html.replace(/<(code|kbd|textarea)\b.*?<\/\1/gs, '');
  const texts = prose.split(/<[^>]+>/).map((text) => text.replace(/\s+/g, ' ').trim());
  return [...labels, ...texts].filter((text) => /\p{L}/u.test(text));
}
