import type { Policy, Standing } from './policy.js';

/** Headers of a response that say what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Writes the headers for policies, and where a caller stands with those that are known. */
export function createLimitHeaders(
  policies: readonly Policy[],
): (standings: readonly (readonly [Policy, Standing])[]) => LimitHeaders {
  const stated = policies.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(', ');
  return (standings) => {
    let items = '';
    for (const [{ name }, { left, endsMs }] of standings) {
      items += `${items === '' ? '' : ', '}"${name}";r=${left};t=${secondsTo(endsMs)}`;
    }
    return { 'ratelimit-policy': stated, ratelimit: items };
  };
}

/** Whole seconds until then, one at least. */
export function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
