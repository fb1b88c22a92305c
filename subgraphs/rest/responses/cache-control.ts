/**
 * Whether a response may be cached, as its service says (RFC 9111 5.2.2). For how long is our own policy: no service
 * says.
 */
export interface CacheDirectives {
  /** Not stored at all. */
  readonly noStore: boolean;
  /** Stored, but revalidated each time, so that only its entity tag saves anything. */
  readonly noCache: boolean;
  /** Never served stale. This is a shared cache, so directives for shared caches apply. */
  readonly mustRevalidate: boolean;
}

/** No restrictions on caching, as of a response without `cache-control`. */
export const NO_DIRECTIVES: CacheDirectives = { noStore: false, noCache: false, mustRevalidate: false };

/** Reads `cache-control`. Unknown directives and `max-age` are ignored. */
export function readCacheControl(text: string | undefined): CacheDirectives {
  if (text === undefined) return NO_DIRECTIVES;
  const directives = new Set(text.split(',').map((directive) => directive.split('=', 1)[0]?.trim().toLowerCase()));
  const noCache = directives.has('no-cache');
  return {
    noStore: directives.has('no-store'),
    noCache,
    mustRevalidate: noCache || ['must-revalidate', 'proxy-revalidate', 's-maxage'].some((name) => directives.has(name)),
  };
}
