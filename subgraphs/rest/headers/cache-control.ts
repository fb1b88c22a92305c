/**
 * Whether a response may be cached, as its service says (RFC 9111 5.2.2). How long is our own policy: no service says.
 */
export interface Keeping {
  /** Not stored at all. */
  readonly forbidden: boolean;
  /** Stored, but revalidated each time: only its entity tag saves anything. */
  readonly alwaysAsk: boolean;
  /** Never served stale. This is a shared cache, so directives for shared caches apply. */
  readonly neverStale: boolean;
}

/** Nothing restricts caching: what a response without `cache-control` says. */
export const FREELY: Keeping = { forbidden: false, alwaysAsk: false, neverStale: false };

/** Reads `cache-control`. Unknown directives and `max-age` are ignored. */
export function readCacheControl(text: string | undefined): Keeping {
  if (text === undefined) return FREELY;
  const directives = new Set(text.split(',').map((directive) => directive.split('=', 1)[0]?.trim().toLowerCase()));
  const alwaysAsk = directives.has('no-cache');
  return {
    forbidden: directives.has('no-store'),
    alwaysAsk,
    neverStale: alwaysAsk || ['must-revalidate', 'proxy-revalidate', 's-maxage'].some((name) => directives.has(name)),
  };
}
