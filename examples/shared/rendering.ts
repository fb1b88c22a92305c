/*
 * A server that renders a page asks the gateway in the name of the browser whose request it renders: it has no cookies of
 * its own, and none goes along by itself.
 */

/** What a rendering server sends. */
export interface RenderedOperation {
  readonly gateway: string;
  readonly query: string;
  readonly variables?: object;
  /** The browser's address, if the gateway trusts this server (`TRUSTED_PROXIES`); otherwise all browsers are one caller. */
  readonly address?: string;
}

/** The session's cookie of the gateway, by its names on https and on http: no other goes to it. */
const SESSION = /(?<=^|;\s*)(?:__Host-)?passerelle=[^;]*/g;

/** A response, and what caches may do with a page that is made from it alone. */
export interface Rendered {
  readonly body: { readonly data?: unknown; readonly errors?: readonly object[] };
  /** Public for what everybody may see; `private, no-store` as soon as a session, a key or an error is part of it. */
  readonly cacheControl: string;
}

/** Sends an operation for a browser, in a loader or a route handler that has its request. */
export async function askFor(browser: Request, operation: RenderedOperation): Promise<Rendered> {
  const { gateway, query, variables, address } = operation;
  const session = browser.headers.get('cookie')?.match(SESSION)?.join('; ');
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(session !== undefined && { cookie: session }),
      ...(address !== undefined && { 'x-forwarded-for': address }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await response.json()) as Rendered['body'];
  return { body, cacheControl: response.headers.get('cache-control') ?? 'private, no-store' };
}
