import { parseSetCookie } from 'cookie';

/** What a browser would send, show and store: a client with its own cookies that follows redirects when asked to. */
export interface Browser {
  get(url: string, headers?: Record<string, string>): Promise<Page>;
  /** Follows redirects to the end. */
  visit(url: string): Promise<Page>;
  post(url: string, body: string | undefined, headers?: Record<string, string>): Promise<Page>;
  /** Fills in and sends the only form of a page; does not follow a redirect to what starts with `stopBefore`. */
  submit(page: Page, fields?: Record<string, string>, stopBefore?: string): Promise<Page>;
  /** Cookies by host: what somebody who steals the jar would have. */
  readonly jar: Map<string, Map<string, string>>;
  cookieOf(host: string, name: string): string | undefined;
  /** Every response that this browser has received. */
  readonly seen: Page[];
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Opens a browser without cookies. As in real browsers, ports share cookies. */
export function openBrowser(): Browser {
  const jar = new Map<string, Map<string, string>>();
  const seen: Page[] = [];

  async function send(url: string, init: RequestInit): Promise<Page> {
    const { hostname } = new URL(url);
    const cookies = jar.get(hostname) ?? new Map<string, string>();
    jar.set(hostname, cookies);
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', maxAge, expires } = parseSetCookie(line);
      const isGone = maxAge === 0 || (expires !== undefined && expires.getTime() <= 0);
      if (isGone) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const page = { url, status: response.status, headers: response.headers, text };
    seen.push(page);
    return page;
  }

  async function follow(page: Page, stopBefore?: string): Promise<Page> {
    let current = page;
    for (let hops = 0; REDIRECTS.has(current.status) && hops < 20; hops += 1) {
      const next = new URL(current.headers.get('location') ?? '', current.url).href;
      if (stopBefore !== undefined && next.startsWith(stopBefore)) break;
      current = await send(next, {});
    }
    return current;
  }

  return {
    jar,
    seen,
    cookieOf: (host, name) => jar.get(host)?.get(name),
    get: (url, headers = {}) => send(url, { headers }),
    visit: async (url) => follow(await send(url, {})),
    post: (url, body, headers = {}) => send(url, { method: 'POST', headers, ...(body !== undefined && { body }) }),
    async submit(page, fields = {}, stopBefore) {
      const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1];
      if (action === undefined) throw new Error(`There is no form at ${page.url}.`);
      const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, unescapeHtml(value)] satisfies [string, string],
      );
      const body = new URLSearchParams([...hidden, ...Object.entries(fields)]);
      return follow(await send(new URL(unescapeHtml(action), page.url).href, { method: 'POST', body }), stopBefore);
    },
  };
}

function unescapeHtml(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
