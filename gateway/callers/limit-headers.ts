import type { Policy, Standing } from './policy.js';

/** Response headers that report what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Writes headers with all policies, and a caller's standing with those for which it is known. */
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

/** Whole seconds until a time since 1970, at least one. */
export function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
