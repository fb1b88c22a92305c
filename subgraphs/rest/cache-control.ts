/** How far an answer may be kept, as its service says (RFC 9111 5.2.2). How long is our own policy: no service says. */
export interface Keeping {
  /** Not kept at all. */
  readonly forbidden: boolean;
  /** Kept, but asked for each time: only its tag saves anything. */
  readonly alwaysAsk: boolean;
  /** Never given when it is no longer fresh, whatever happens. This cache is shared, so what shared caches are told counts. */
  readonly neverStale: boolean;
}

export const FREELY: Keeping = { forbidden: false, alwaysAsk: false, neverStale: false };

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
