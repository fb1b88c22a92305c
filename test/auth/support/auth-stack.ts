import type { WasteUser } from '../../../sandbox/world/types.js';
import { type GraphqlError, type Stack, type StackOptions, startStack } from '../../scenarios/stack.js';
import { type Browser, openBrowser, type Page } from './browser.js';

export { SHAPES } from '../../scenarios/stack.js';

export interface GraphqlResult {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses have as many shapes as tests have queries.
  readonly data: any;
  readonly errors?: readonly GraphqlError[];
}

/** The whole product in front of the sandbox, with users who log in. */
export interface AuthStack extends Omit<Stack, 'send'> {
  /** The sandbox's user with this number, and a new browser for them. */
  person(number?: number): { browser: Browser; user: WasteUser };
  /** Logs in without the platform's pages, which the sandbox confirms by itself. */
  logIn(browser: Browser, user: WasteUser, returnTo?: string): Promise<Page>;
  /** Starts a login; returns the address of the platform's redirect to our callback, which is not followed. */
  callbackFor(browser: Browser, user: WasteUser, returnTo?: string): Promise<string>;
  /** Token requests since the last `forgetCalls`. */
  exchanges(): number;
  session(browser: Browser): Promise<unknown>;
  /** Sends a GraphQL request as our own page does. */
  send(browser: Browser, query: string): Promise<GraphqlResult>;
  sessionCookie(browser: Browser): string | undefined;
}

/** Identity needs users but few missions, and a small world starts sooner. */
const SCALE = 0.02;

/** Starts a stack that shares nothing with others and must be closed. */
export async function startAuthStack(options: StackOptions): Promise<AuthStack> {
  const stack = await startStack({ sandbox: { scale: SCALE }, ...options });
  const { url, sandbox } = stack;
  const { waste } = sandbox;
  waste.registerRedirectUri(`${url}/auth/waste/callback`);

  async function callbackFor(browser: Browser, user: WasteUser, returnTo = '/readyz'): Promise<string> {
    const start = await browser.get(`${url}/auth/waste/login?${new URLSearchParams({ returnTo })}`);
    const dialog = start.headers.get('location') ?? '';
    Object.assign(waste.switches, { presetUser: user.email, dialog: 'approve' });
    const page = await browser.get(dialog);
    Object.assign(waste.switches, { presetUser: null, dialog: 'ask' });
    return page.headers.get('location') ?? '';
  }

  return {
    ...stack,
    person(number = 0) {
      const user = sandbox.world.wasteUsers[number];
      if (user === undefined) throw new Error(`The sandbox has no user ${number}.`);
      return { browser: openBrowser(), user };
    },
    callbackFor,
    async logIn(browser, user, returnTo) {
      return browser.visit(await callbackFor(browser, user, returnTo));
    },
    exchanges: () => stack.calls().filter((line) => line.includes('/oauth2/token')).length,
    async session(browser) {
      return JSON.parse((await browser.get(`${url}/auth/session`)).text);
    },
    async send(browser, query) {
      const page = await browser.post(`${url}/graphql`, JSON.stringify({ query }), {
        'content-type': 'application/json',
        'x-passerelle-trace': '1',
      });
      return { status: page.status, headers: page.headers, ...JSON.parse(page.text) };
    },
    sessionCookie: (browser) => browser.cookieOf(new URL(url).hostname, 'passerelle'),
  };
}
