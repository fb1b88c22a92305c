import type { IncomingHttpHeaders } from 'node:http';
import type { QuotaTaken } from './quota.js';
import type { Reply } from './reply.js';
import type { Era } from './types.js';

/** A request as routes see it. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** Path as received, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Values of the path's `:names`, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The caller's address. */
  readonly address: string;
  /** Name of the key's holder, as in the call log. */
  readonly key: string;
  readonly era: Era;
  /** The service's clock when the request arrived, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Reads the body, at most `limit` bytes (default 1 MiB), and adds it to the call log.
   * @throws BodyTooLarge
   */
  readBody(limit?: number): Promise<Buffer>;
  /** Counts one call in a window of the service. */
  take(scope: string, limit: number, windowMs: number): QuotaTaken;
}

/** A route of a service. */
export interface Route {
  readonly method: string;
  /** Path from the root, with `:name` for a variable segment and a final `*` for any remainder. */
  readonly path: string;
  /** The only era that has this route. */
  readonly era?: Era;
  readonly handle: (request: ServiceRequest) => Reply | Promise<Reply>;
}

/** A matching route with the values of its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** How a framework compares paths. */
export interface Matching {
  /** Whether `/a/` is the same as `/a` (Express) or another path (fastify, work-study 2). */
  readonly trailingSlash: 'same' | 'other';
}

/**
 * Finds routes as both frameworks of the services do: in the order of the table, case-insensitively, and with GET
 * routes also answering HEAD.
 * @returns undefined for an unknown path or method, and for a path that cannot be decoded
 */
export function createRouter(routes: readonly Route[], matching: Matching) {
  const compiled = routes.map((route) => ({ route, pattern: patternOf(route.path, matching) }));
  return (method: string, path: string, era: Era): RouteMatch | undefined => {
    for (const { route, pattern } of compiled) {
      if (route.era !== undefined && route.era !== era) continue;
      if (route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue;
      const found = pattern.exec(path);
      if (found === null) continue;
      const params = decodeAll(found.groups ?? {});
      if (params !== undefined) return { route, params };
    }
    return undefined;
  };
}

function patternOf(path: string, matching: Matching): RegExp {
  const source = path
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/:([a-zA-Z]+)/g, '(?<$1>[^/]+)')
    .replace(/\*$/, '(?<rest>.*)');
  return new RegExp(`^${source}${matching.trailingSlash === 'same' ? '/?' : ''}$`, 'i');
}

function decodeAll(params: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
