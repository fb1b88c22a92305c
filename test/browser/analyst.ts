import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { POLLING } from '../polling.js';

/** The analyst page in a real browser, under its real policy, watched. */
export interface Analyst {
  readonly page: Page;
  /** What the policy refused. */
  violations(): Promise<string[]>;
  /** Requests to any other origin, and scripts' mistakes. */
  readonly offences: readonly string[];
  /** Runs the query in front and waits for its response. */
  run(): Promise<void>;
  view(name: 'JSON' | 'Table' | 'Counts' | 'Map' | 'Trace'): Promise<void>;
  status(): Promise<string>;
  /** Writes a query into the editor, and variables into theirs. */
  write(query: string, variables?: object): Promise<void>;
  /** Makes the page what it is when it is opened at a place, but for the order of tabs, without the work of loading it. */
  startAfresh(place: string): Promise<void>;
  /** Rules of WCAG A and AA that the page, or a part of it, breaks beyond the two that stock GraphiQL is known for. */
  brokenRules(part?: string, rules?: readonly string[]): Promise<string[]>;
}

const WINDOW = { width: 1440, height: 900 };

/** The examples whose tabs the page opens with. */
const FIRST_TAB = '#example=missions-and-their-communes';
const SECOND_TAB = '#example=missions-near-a-commune';
const TAB_NAMES: Readonly<Record<string, string>> = {
  [FIRST_TAB]: 'MissionsAndTheirCommunes',
  [SECOND_TAB]: 'MissionsNearACommune',
};

/** Opens the page at an address of a gateway and waits until a query can be written. */
export async function openAnalyst(context: BrowserContext, url: string): Promise<Analyst> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(POLLING.timeout);
  await page.setViewportSize(WINDOW);
  const offences: string[] = [];
  const { origin } = new URL(url);
  page.on('request', (request) => {
    // Going to the waste platform's login is leaving the page, not calling out of it.
    if (request.isNavigationRequest()) return;
    const address = new URL(request.url());
    if (/^(data|blob):$/.test(address.protocol) || address.origin === origin) return;
    offences.push(request.url());
  });
  page.on('pageerror', ({ message }) => offences.push(message));
  await page.addInitScript(`window.violations = [];
    addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective + ' ' + event.blockedURI));`);
  await page.goto(url);
  await editorReady(page);
  return {
    page,
    offences,
    violations: () => page.evaluate('window.violations') as Promise<string[]>,
    async run() {
      const response = page.waitForResponse('**/graphql');
      await page.click('.graphiql-execute-button');
      await response;
      await answered(page);
    },
    async view(name) {
      await page.click(`#pa-tab-${name}`);
    },
    status: async () => (await page.textContent('.pa-status')) ?? '',
    async write(query, variables) {
      await setEditor(page, '.graphiql-query-editor', query);
      await setEditor(page, '.graphiql-editor-tool', JSON.stringify(variables ?? {}));
    },
    async startAfresh(place) {
      await page.unrouteAll();
      await page.context().clearCookies();
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
      await page.setViewportSize(WINDOW);
      await page.mouse.move(0, 0);
      await closePanels(page);
      const front = place === '' ? FIRST_TAB : place;
      await openTabs(page, [...[FIRST_TAB, SECOND_TAB].filter((other) => other !== front), front]);
      await page.evaluate('window.violations = []');
      offences.length = 0;
    },
    brokenRules: (part, rules) => brokenRules(page, part, rules),
  };
}

/** What was opened beside the editors, or over them, is closed, and English spoken. */
async function closePanels(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  for (const left of ['.graphiql-sidebar button[aria-label^="Hide"]', 'button:text-is("English")']) {
    if ((await page.locator(left).count()) > 0) await page.click(left);
  }
}

/** Opens these places in new tabs, the last in front, in place of all others, with which their responses go. */
async function openTabs(page: Page, places: readonly string[]): Promise<void> {
  const tabs = page.locator('.graphiql-tab');
  // They are seen under the pointer only.
  const closes = page.locator('.graphiql-tab-close');
  // Nothing is remembered of a new tab. It is the last one, and GraphiQL has the last in front while it closes others.
  await page.getByRole('button', { name: 'New tab' }).click();
  for (let left = await tabs.count(); left > 1; left -= 1) {
    await closes.first().dispatchEvent('click');
    await until(page, async () => (await tabs.count()) < left);
  }
  for (const [index, place] of places.entries()) {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    // There is a tab before its query is in it, which is another's if the next one is opened meanwhile.
    const name = TAB_NAMES[place] ?? '';
    await until(page, async () => (await tabs.count()) === index + 2 && (await tabs.last().innerText()).includes(name));
  }
  await closes.first().dispatchEvent('click');
  await until(page, async () => (await tabs.count()) === places.length);
  await editorReady(page);
}

/** GraphiQL's tabs hold their close buttons; its editor's and its documentation's own colours are not ours. */
const KNOWN = /^nested-interactive|^color-contrast .*(mtk|graphiql-tab|view-line|line-numbers|graphiql-doc-explorer)/;

const LEVELS: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** Rules about colours alone. */
export const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Rules of WCAG A and AA, or those named, that a page breaks beyond the two that stock GraphiQL is known for. */
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

/** Waits until the editor shows a query. */
export async function editorReady(page: Page): Promise<void> {
  await until(page, async () => ((await page.textContent('.graphiql-query-editor .view-line')) ?? '') !== '');
}

/** Waits until something is so. Playwright would wait inside the page, by an `eval` that its policy forbids. */
async function until(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + POLLING.timeout;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It did not come about.');
    await page.waitForTimeout(POLLING.interval);
  }
}

/** Waits for a response of any status. */
async function answered(page: Page): Promise<void> {
  await until(page, async () => /^HTTP \d+/.test((await page.textContent('.pa-status')) ?? ''));
}

async function setEditor(page: Page, place: string, text: string): Promise<void> {
  await page.focus(`${place} textarea`);
  await page.keyboard.press('Control+A');
  // Pasted: to what is typed, the editor adds closing brackets.
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
}

/**
 * The rows of the table as texts, as many as are drawn. A response is laid out behind its status: the first row is waited
 * for.
 */
export async function drawnRows(page: Page): Promise<string[][]> {
  await page.waitForSelector('.pa-table tbody tr[aria-rowindex]');
  return page.$$eval('.pa-table tbody tr[aria-rowindex]', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  );
}
