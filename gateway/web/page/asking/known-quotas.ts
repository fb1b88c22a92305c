import type { UpstreamCall } from '../../../../schema/trace.js';

/** What a service last said of the quota of the calls made for this page. */
export interface Quota {
  readonly service: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The lowest quota that each service told in the calls of one answer: routes are counted apart, the scarcest decides. */
export function quotasOf(calls: readonly UpstreamCall[]): Quota[] {
  const lowest = new Map<string, Quota>();
  for (const { service, quota } of calls) {
    const known = lowest.get(service);
    if (quota !== undefined && (known === undefined || quota.remaining < known.remaining)) {
      lowest.set(service, { service, ...quota });
    }
  }
  return [...lowest.values()];
}

/** Quotas told by earlier answers: an answer from the cache tells none. */
export interface KnownQuotas {
  learn(calls: readonly UpstreamCall[]): void;
  /** Those whose window is not over yet, with the seconds that are left of it. */
  now(): Quota[];
}

/** `elapsedMs` is any clock that only goes forward. */
export function createKnownQuotas(elapsedMs: () => number): KnownQuotas {
  const known = new Map<string, { readonly quota: Quota; readonly at: number }>();
  return {
    learn(calls) {
      for (const quota of quotasOf(calls)) known.set(quota.service, { quota, at: elapsedMs() });
    },
    now: () =>
      [...known.values()]
        .map(({ quota, at }) => ({ ...quota, resetSeconds: Math.ceil(quota.resetSeconds - (elapsedMs() - at) / 1000) }))
        .filter(({ resetSeconds }) => resetSeconds > 0),
  };
}
