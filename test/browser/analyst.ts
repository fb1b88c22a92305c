import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { POLLING } from '../polling.js';

/** The analyst page in a real browser, under its real security policy, with violations recorded. */
export interface Analyst {
  readonly page: Page;
  /** What the security policy refused. */
  violations(): Promise<string[]>;
  /** Requests to any other origin, and uncaught errors of scripts. */
  readonly offences: readonly string[];
  /** Runs the query of the active tab and waits for its response. */
  run(): Promise<void>;
  view(name: 'JSON' | 'Table' | 'Counts' | 'Map' | 'Trace'): Promise<void>;
  status(): Promise<string>;
  /** Writes a query into its editor, and variables into theirs. */
  write(query: string, variables?: object): Promise<void>;
  /**
   * Resets the page to the state after opening it, except for the order of tabs, without reloading it; with a place,
   * that alone has a tab.
   */
  startAfresh(place: string): Promise<void>;
  /**
   * Rules of WCAG A and AA that the page, or part of it, breaks, except the two that stock GraphiQL is known to break.
   */
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

/** Opens the page at an address of a gateway, and waits until a query can be written. */
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
  // Tests of the editors need them unfolded, whatever they open; test/browser/question opens the page as it comes.
  await page.addInitScript(`localStorage.setItem('passerelle:mode', 'code'); window.violations = [];
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
      const already = await page.textContent('.graphiql-editor-tool .view-lines');
      if (variables !== undefined || !/^(\{\})?$/.test(already ?? ''))
        await setEditor(page, '.graphiql-editor-tool', JSON.stringify(variables ?? {}));
    },
    async startAfresh(place) {
      await page.unrouteAll();
      await page.context().clearCookies();
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
      await page.setViewportSize(WINDOW);
      await page.mouse.move(0, 0);
      await closePanels(page);
      await openTabs(page, place === '' ? [SECOND_TAB, FIRST_TAB] : [place]);
      await page.evaluate('window.violations = []');
      offences.length = 0;
    },
    brokenRules: (part, rules) => brokenRules(page, part, rules),
  };
}

/** Closes whatever was opened beside or over the editors, and switches to English. */
async function closePanels(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  for (const left of ['.graphiql-sidebar button[aria-label^="Hide"]', 'button:text-is("English")']) {
    if ((await page.locator(left).count()) > 0) await page.click(left);
  }
}

/** Replaces all tabs, with their responses, by new tabs of these places, the last in front. */
async function openTabs(page: Page, places: readonly string[]): Promise<void> {
  const tabs = page.locator('.graphiql-tab');
  // They are visible only under the pointer.
  const closes = page.locator('.graphiql-tab-close');
  // A new tab has no stored state. It is the last one, and GraphiQL keeps the last in front while others close.
  await page.getByRole('button', { name: 'New tab' }).click();
  for (let left = await tabs.count(); left > 1; left -= 1) {
    await closes.first().dispatchEvent('click');
    await until(page, async () => (await tabs.count()) < left);
  }
  for (const [index, place] of places.entries()) {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    // The tab exists before its query is in it; if the next tab were opened meanwhile, the query would go there.
    const name = TAB_NAMES[place] ?? '';
    await until(page, async () => (await tabs.count()) === index + 2 && (await tabs.last().innerText()).includes(name));
  }
  await closes.first().dispatchEvent('click');
  await until(page, async () => (await tabs.count()) === places.length);
  await editorReady(page);
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
