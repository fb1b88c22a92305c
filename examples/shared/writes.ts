import { getOperationAST, parse } from 'graphql';
import type { Plugin, PreviewServer, ViteDevServer } from 'vite';

/*
 * A page has no key: whoever opens it could read it. It sends its writes to a route of its own server, which adds the key
 * of its operator, and sends on nothing but the mutations of the page's manifest.
 */

/** What a route for writes needs to know. */
export interface WriteRoute {
  readonly gateway: string;
  /** The operator's key for work-study, which never leaves the server. */
  readonly key: string;
  /** The manifest that is generated beside the types: documents by `sha256:` and their hash. */
  readonly manifest: Readonly<Record<string, string>>;
}

interface Persisted {
  readonly variables?: object;
  readonly extensions?: { readonly persistedQuery?: { readonly sha256Hash?: unknown } };
}

/** Headers of the gateway that hold here too: those of its encoding do not, as `fetch` has decoded the body. */
const PASSED_ON: ReadonlySet<string> = new Set(['content-type', 'cache-control', 'retry-after', 'x-request-id']);

/** Answers a write, in the form of a route handler of Next.js, SvelteKit, Remix or Hono. */
export async function write(request: Request, { gateway, key, manifest }: WriteRoute): Promise<Response> {
  // Browsers say who sends it, and no page can forge that. Without this, any site could write in your name.
  const isOwnPage = request.headers.get('sec-fetch-site') === 'same-origin';
  const body = isOwnPage ? await request.json().catch(() => null) : null;
  const { variables, extensions } = (body ?? {}) as Persisted;
  const hash = String(extensions?.persistedQuery?.sha256Hash).replace('sha256:', '');
  // Never the text that was sent: a hash is a promise, and the key would go with any other operation.
  const query = manifest[`sha256:${hash}`];
  const isWrite = query !== undefined && getOperationAST(parse(query))?.operation === 'mutation';
  if (!isWrite) return new Response('Not found.', { status: 404 });
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-work-study-key': key },
    body: JSON.stringify({ query, variables }),
  });
  const headers = [...response.headers].filter(([name]) => PASSED_ON.has(name));
  return new Response(response.body, { status: response.status, headers });
}

/** The route in Vite's own servers. */
export function writesAt(path: string, routeNow: () => WriteRoute): Plugin {
  const serve = ({ middlewares }: ViteDevServer | PreviewServer) => {
    middlewares.use(path, (incoming, outgoing, next) => {
      const answer = async () => {
        const headers = Object.entries(incoming.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const body = Buffer.concat(await incoming.toArray());
        const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body });
        const response = await write(request, routeNow());
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        outgoing.end(await response.text());
      };
      // Nobody waits for a middleware: what it rejects with, as when the gateway is away, would end Vite.
      void answer().catch(next);
    });
  };
  return { name: 'writes', configureServer: serve, configurePreviewServer: serve };
}
