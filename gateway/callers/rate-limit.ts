import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createLru } from '../../kernel/caches.js';

// A policy limits what each caller may take in a minute, in points: a request is one, an upstream call is one. All
// replicas that share a store count together; without one, or while it is unreachable, each process counts by itself.

/** What a caller has of a policy. */
export interface LimitStatus {
  readonly isRefused: boolean;
  /** Points that remain. */
  readonly remaining: number;
  /** When the minute ends, in milliseconds since 1970. */
  readonly resetMs: number;
}

/** A limit per minute on each caller. */
export interface Policy {
  readonly name: string;
  readonly limit: number;
  /** Takes points, even more than are left; a negative number gives some back. */
  take(callerId: string, points?: number): Promise<LimitStatus>;
  /** What a caller had when this process took last; null if it did not in this minute. */
  known(callerId: string): LimitStatus | null;
  /** Whether any caller was refused in a minute that is not over yet. */
  hasRefused(): boolean;
}

const MINUTE_S = 60;
/** A minute never ends later than this from now, unless the clock was set back. */
const MINUTE_MS = MINUTE_S * 1_000;

/**
 * Callers that one process knows. The library evicts them only by time, and a network has more addresses than fit into
 * memory, so the caller not seen for longest starts anew.
 */
const MAX_CALLERS = 20_000;

/** Creates a policy, shared by the replicas of a store, whose loss is reported elsewhere. */
export function createPolicy(name: string, limit: number, store: Redis | null): Policy {
  const settings = { points: limit, duration: MINUTE_S, keyPrefix: `caller-${name}` };
  const memory = new RateLimiterMemory(settings);
  const seen = createLru<LimitStatus>(MAX_CALLERS, {
    dispose: (_, callerId, reason) => void (reason === 'evict' && memory.delete(callerId)),
  });
  const limiter =
    store === null ? memory : new RateLimiterRedis({ ...settings, storeClient: store, insuranceLimiter: memory });
  let refusedUntilMs = 0;

  function known(callerId: string): LimitStatus | null {
    const status = seen.get(callerId);
    const msLeft = (status?.resetMs ?? 0) - Date.now();
    return status !== undefined && msLeft > 0 && msLeft <= MINUTE_MS ? status : null;
  }

  return {
    name,
    limit,
    known,
    hasRefused: () => Date.now() < refusedUntilMs,
    async take(callerId, points = 1) {
      const { remaining, resetMs: untilMs } = known(callerId) ?? { remaining: limit, resetMs: Date.now() + MINUTE_MS };
      const expected = statusOf(remaining - points, untilMs);
      // Whoever takes before the count is there goes on from here.
      seen.set(callerId, expected);
      const { consumedPoints, msBeforeNext } = await (points < 0
        ? limiter.reward(callerId, -points)
        : limiter.penalty(callerId, points));
      const status = statusOf(limit - consumedPoints, Date.now() + Math.min(msBeforeNext, MINUTE_MS));
      if (status.isRefused) refusedUntilMs = Math.max(refusedUntilMs, status.resetMs);
      if (seen.get(callerId) === expected) seen.set(callerId, status);
      return status;
    },
  };
}

function statusOf(left: number, resetMs: number): LimitStatus {
  return { isRefused: left < 0, remaining: Math.max(0, left), resetMs };
}

/** Response headers that report what remains (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Headers with all policies, and a caller's status with those of which it is known. */
export function limitHeaders(
  policies: readonly Policy[],
  statuses: readonly (readonly [Policy, LimitStatus])[],
): LimitHeaders {
  const limits = policies.map(({ name, limit }) => `"${name}";q=${limit};w=60`);
  const left = statuses.map(([{ name }, { remaining, resetMs }]) => `"${name}";r=${remaining};t=${secondsTo(resetMs)}`);
  return { 'ratelimit-policy': limits.join(', '), ratelimit: left.join(', ') };
}

/** Whole seconds until a time since 1970, at least one. */
export function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
