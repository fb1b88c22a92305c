import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import labels from '../../analyst/page/labels/labels.json' with { type: 'json' };
import type { Texts } from '../../analyst/page/state/language.js';
import { leaves } from '../web/support.js';

const sources = new URL('../../analyst/page/', import.meta.url);

/** Names of services, kinds of plan nodes, codes, keys and columns. */
const NAMES =
  'work study volunteering waste identity fetch field join parallel enter graphql validation failed query title domain docs tab focus'.split(
    ' ',
  );

/** Routes of services, whose quotas are listed once they have been called, and error codes. */
const ROUTE_OR_CODE = /\b(GET|POST) \/\S+|\b[A-Z]+(_[A-Z]+)+\b/g;

/** Parts whose texts are data, code, or taken from the schema. */
const DATA = [
  ...['code', 'pre', 'option', 'small', 'td', 'th', 'dd', 'noscript', 'label[title]', 'dt[title]', '[lang=en]'],
  ...['.monaco-editor', '.pa-example strong', '.pa-example span', '.graphiql-tab-button', '.pa-saved-name'],
  '.pa-town',
  ...['.graphiql-doc-explorer-type-name'],
].join();

let english: Promise<ReadonlySet<string>> | undefined;

/** Texts that a page in French has in English. */
export async function englishOn(page: Page): Promise<string[]> {
  english ??= englishWords();
  const words = await english;
  const said = (await page.evaluate(`(() => {
    const said = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node.nodeType === 1 && node.matches(${JSON.stringify(DATA)}) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) said.add(node.data.trim());
      else for (const name of ['aria-label', 'title', 'placeholder']) said.add(node.getAttribute(name)?.trim() ?? '');
    }
    return [...said];
  })()`)) as string[];
  const written = (text: string) => wordsOf([text.replaceAll(ROUTE_OR_CODE, '')]);
  return said.filter((text) => written(text).some((word) => words.has(word) && !NAMES.includes(word)));
}

/** Words of the page's English texts that none of its French texts has. */
async function englishWords(): Promise<ReadonlySet<string>> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => /\btexts\.ts$/.test(file));
  const modules = await Promise.all(files.map((file) => import(`${sources}${file}`)));
  const catalogues = modules
    .flatMap((module) => Object.values<Texts<unknown>>(module))
    .filter((one) => typeof one === 'object');
  const said = (language: 'en' | 'fr') => catalogues.flatMap((one) => Object.values(leaves(one[language])).map(prose));
  const labelled = Object.values(labels.fields).map(({ fr }) => fr);
  const french = new Set(wordsOf([...said('fr'), ...labelled]));
  return new Set(wordsOf(said('en')).filter((word) => !french.has(word)));
}

/** The words of a text; if it is a function's source, those of its literals without what is interpolated. */
function prose(text: string): string {
  if (!text.includes('=>')) return text;
  const quoted = [...text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g)].map(([one]) => one);
  return quoted.map((one) => one.replaceAll(/\$\{[^}]*\}/g, ' ')).join(' ');
}

function wordsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.toLowerCase().match(/[\p{L}’']{3,}/gu) ?? []);
}
