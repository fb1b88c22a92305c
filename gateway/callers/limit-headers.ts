import type { Policy, Standing } from './policy.js';

/** Headers of a response that say what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** The headers for policies, and where a caller stands with those that are known. */
export function limitHeaders(
  policies: readonly Policy[],
  standings: readonly (readonly [Policy, Standing])[],
): LimitHeaders {
  const items = standings.map(([{ name }, { left, endsMs }]) => `"${name}";r=${left};t=${secondsTo(endsMs)}`);
  const stated = policies.map(({ name, limit }) => `"${name}";q=${limit};w=60`);
  return { 'ratelimit-policy': stated.join(', '), ratelimit: items.join(', ') };
}

/** Whole seconds until then, one at least. */
export function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
