import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { shareFragment } from '../../analyst/page/state/sharing.js';
import { POLLING } from '../polling.js';
import { sampleQueries } from '../queries/read.js';

/** The analyst page in a real browser, under its real security policy, with violations recorded. */
export interface Analyst {
  readonly page: Page;
  /** What the security policy refused. */
  violations(): Promise<string[]>;
  /** Requests to any other origin, and uncaught errors of scripts. */
  readonly offences: readonly string[];
  /** Runs the query of the active tab, this one if it is given, and waits for its response. */
  run(query?: string, variables?: object): Promise<void>;
  view(name: 'JSON' | 'Table' | 'Counts' | 'Map' | 'Trace'): Promise<void>;
  status(): Promise<string>;
  /** Writes a query into its editor, and variables into theirs. */
  write(query: string, variables?: object): Promise<void>;
  /**
   * Rules of WCAG A and AA that the page, or part of it, breaks, except the two that stock GraphiQL is known to break.
   */
  brokenRules(part?: string, rules?: readonly string[]): Promise<string[]>;
}

const WINDOW = { width: 1440, height: 900 };

/** A place of the page, such as `#ask=missions`; `#sample=NAME` is the query of that name in GraphiQL. */
export function placeOf(place: string): string {
  const [, name] = /^#sample=(.+)$/.exec(place) ?? [];
  if (name === undefined) return place;
  const sample = sampleQueries().find((one) => one.name === name);
  if (sample === undefined) throw new Error(`There is no query ${name}.`);
  return shareFragment({ query: sample.query, variables: JSON.stringify(sample.variables, null, 2) });
}

/** Opens the page at an address of a gateway; where it shows GraphiQL, waits until a query can be written. */
export async function openAnalyst(context: BrowserContext, url: string): Promise<Analyst> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(POLLING.timeout);
  await page.setViewportSize(WINDOW);
  const offences: string[] = [];
  const { origin } = new URL(url);
  page.on('request', (request) => {
    // Navigating to the waste platform's login leaves the page; it is not a call from the page.
    if (request.isNavigationRequest()) return;
    const address = new URL(request.url());
    if (/^(data|blob):$/.test(address.protocol) || address.origin === origin) return;
    offences.push(request.url());
  });
  page.on('pageerror', ({ message }) => offences.push(message));
  await page.addInitScript(`window.violations = [];
    addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective + ' ' + event.blockedURI));`);
  await page.goto(url);
  if (/#(code|[qz]=)/.test(url)) await editorReady(page);
  async function write(query: string, variables?: object): Promise<void> {
    await setEditor(page, '.graphiql-query-editor', query);
    const already = await page.textContent('.graphiql-editor-tool .view-lines');
    if (variables !== undefined || !/^(\{\})?$/.test(already ?? ''))
      await setEditor(page, '.graphiql-editor-tool', JSON.stringify(variables ?? {}));
  }
  return {
    page,
    offences,
    violations: () => page.evaluate('window.violations') as Promise<string[]>,
    async run(query, variables) {
      if (query !== undefined) await write(query, variables);
      const response = page.waitForResponse('**/graphql');
      await page.click('.graphiql-execute-button');
      await response;
      await answered(page);
    },
    async view(name) {
      await page.click(`#pa-tab-${name}`);
    },
    status: async () => (await page.textContent('.pa-status')) ?? '',
    write,
    brokenRules: (part, rules) => brokenRules(page, part, rules),
  };
}

/** The colours of GraphiQL's own documentation in its dark theme. */
const KNOWN = /^color-contrast .*(mtk|graphiql-tab|view-line|line-numbers|graphiql-doc-explorer)/;

const LEVELS: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** Rules about colours alone. */
export const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Rules of WCAG A and AA, or those given, that a page breaks, except the two that stock GraphiQL is known to break. */
export async function brokenRules(page: Page, part = 'body', rules = LEVELS): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = { runOnly: rules, resultTypes: ['violations'] };
  const results = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  )) as axe.AxeResults;
  return results.violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 120)}`))
    .filter((rule) => !KNOWN.test(rule));
}

/** Rules of axe that a page breaks: all that it has, best practice and the size of targets included, without exception. */
export async function everyRule(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 120)}`));
}

/** Waits until the editor shows a query. */
export async function editorReady(page: Page): Promise<void> {
  await until(page, async () => ((await page.textContent('.graphiql-query-editor .view-line')) ?? '') !== '');
}

/** Waits until a condition holds. Playwright would wait inside the page, with an `eval` that its policy forbids. */
async function until(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + POLLING.timeout;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It did not come about.');
    await page.waitForTimeout(POLLING.interval);
  }
}

/** Waits for a response of any status. */
async function answered(page: Page): Promise<void> {
  await until(page, async () => /\bHTTP \d+/.test((await page.textContent('.pa-status')) ?? ''));
}

async function setEditor(page: Page, place: string, text: string): Promise<void> {
  await page.focus(`${place} textarea`);
  await page.keyboard.press('Control+A');
  // Pasted, because the editor adds closing brackets to typed text.
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
}

/**
 * The rows of the table that are rendered, as texts. Waits for the first row, as a response is laid out after its
 * status appears.
 */
export async function drawnRows(page: Page): Promise<string[][]> {
  await page.waitForSelector('.pa-table tbody tr[aria-rowindex]');
  return page.$$eval('.pa-table tbody tr[aria-rowindex]', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  );
}

/** The fields of the row that is open, by name. */
export async function openRow(page: Page): Promise<Record<string, string>> {
  const pairs = await page.$$eval('.pa-row-panel .pa-card > div', (all) =>
    all.map((one) => ['dt', 'dd'].map((part) => one.querySelector(part)?.textContent ?? '')),
  );
  return Object.fromEntries(pairs);
}
