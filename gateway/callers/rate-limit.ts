import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createLru } from '../../kernel/caches.js';

// A policy limits what each caller may take in a window of a minute, in points: a request is one, an upstream call is
// one. All replicas that share a store count together. A process takes a hundredth of the limit from the shared count
// at a time and grants single points from that block, so that few requests wait for the store.

/** The guarded Redis client, as far as limits need it. */
export interface SharedStore {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
}

/** What a caller has of a policy. */
export interface LimitStatus {
  readonly isRefused: boolean;
  /** Points that remain in the window. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  readonly resetMs: number;
}

/** A limit per minute on each caller. */
export interface Policy {
  readonly name: string;
  readonly limit: number;
  /** Takes a point of this process's block; null if it has to consult the shared count. */
  takeNow(callerId: string): LimitStatus | null;
  take(callerId: string): Promise<LimitStatus>;
  /** The status of a caller that this process knows; null for any other. Takes nothing. */
  status(callerId: string): LimitStatus | null;
  /** Whether any caller was refused in a window that is not over yet. */
  hasRefused(): boolean;
  /** Consults the shared count. */
  open(callerId: string): Promise<void>;
  /** Points that a caller has left, as far as this process knows. */
  left(callerId: string): number;
  /** Takes points, even more than are left; a negative number gives some back. Does not wait for the shared count. */
  spend(callerId: string, points: number): void;
}

/** Callers of whom this process has a block. For one that was evicted, the shared count is consulted again. */
const MAX_CALLERS = 10_000;

/** What this process knows of a caller. */
interface Block {
  /** Points left of the block. */
  own: number;
  /** Points left in the shared count. */
  readonly shared: number;
  readonly resetMs: number;
}

/** Creates a policy, shared by the replicas of a store. */
export function createPolicy(name: string, limit: number, store: SharedStore | null): Policy {
  const limiter = createSharedLimiter(name, limit, store);
  const blocks = createLru<Block>(MAX_CALLERS);
  const blockSize = Math.max(1, Math.floor(limit / 100));
  let refusedUntilMs = 0;

  function refuse(block: Block): LimitStatus {
    refusedUntilMs = Math.max(refusedUntilMs, block.resetMs);
    return statusOf(block, true);
  }

  function blockOf(callerId: string): Block | null {
    const block = blocks.get(callerId);
    if (block === undefined) return null;
    const msLeft = block.resetMs - Date.now();
    return msLeft > 0 && msLeft <= WINDOW_MS ? block : null;
  }

  return {
    name,
    limit,
    hasRefused: () => Date.now() < refusedUntilMs,
    status(callerId) {
      const block = blockOf(callerId);
      return block === null ? null : statusOf(block, block.own + block.shared === 0);
    },
    takeNow(callerId) {
      const block = blockOf(callerId);
      if (block === null || (block.own === 0 && block.shared > 0)) return null;
      if (block.own === 0) return refuse(block);
      block.own -= 1;
      return statusOf(block, false);
    },
    async take(callerId) {
      const points = (blockOf(callerId)?.shared ?? limit) < blockSize ? 1 : blockSize;
      const { isRefused, remaining, msLeft } = await limiter.consume(callerId, points);
      const own = (blockOf(callerId)?.own ?? 0) + (isRefused ? 0 : points);
      const block = { own: Math.max(0, own - 1), shared: isRefused ? 0 : remaining, resetMs: Date.now() + msLeft };
      blocks.set(callerId, block);
      return own === 0 ? refuse(block) : statusOf(block, false);
    },
    async open(callerId) {
      const { remaining, msLeft } = await limiter.consume(callerId, 0);
      blocks.set(callerId, { own: 0, shared: remaining, resetMs: Date.now() + msLeft });
    },
    left(callerId) {
      const { own, shared } = blockOf(callerId) ?? { own: 0, shared: limit };
      return own + shared;
    },
    spend(callerId, points) {
      const { own, shared, resetMs } = blockOf(callerId) ?? { own: 0, shared: limit, resetMs: Date.now() + WINDOW_MS };
      blocks.set(callerId, { own, shared: Math.min(limit, Math.max(0, shared - points)), resetMs });
      // Nobody waits for this, and an unreachable store is reported elsewhere.
      limiter.take(callerId, points).catch(() => {});
    },
  };
}

function statusOf({ own, shared, resetMs }: Block, isRefused: boolean): LimitStatus {
  return { isRefused, remaining: own + shared, resetMs };
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

const WINDOW_SECONDS = 60;
/** A window never ends later than this from now, unless the clock was set back. */
const WINDOW_MS = WINDOW_SECONDS * 1_000;

/**
 * Callers that one process counts by itself. The library evicts them only by time, and a network has more addresses
 * than fit into memory, so the caller not seen for longest starts anew.
 */
const MAX_COUNTED = 20_000;

/** Counts the points of a window. Without a store, or while it is unreachable, each process counts by itself. */
export function createSharedLimiter(name: string, limit: number, store: SharedStore | null) {
  const settings = { points: limit, duration: WINDOW_SECONDS, keyPrefix: `caller-${name}` };
  const memory = new RateLimiterMemory(settings);
  const counted = createLru<number>(MAX_COUNTED, { dispose: (_, callerId) => void memory.delete(callerId) });
  let shared: RateLimiterRedis | null = null;

  async function use<T>(callerId: string, run: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
    const inStore = (redis: Redis) => {
      shared ??= new RateLimiterRedis({ ...settings, storeClient: redis });
      return run(shared);
    };
    try {
      if (store !== null) return await store.run(inStore);
    } catch {
      // The store is unreachable, which is reported elsewhere.
    }
    if (counted.get(callerId) === undefined) counted.set(callerId, 1);
    return run(memory);
  }

  return {
    /** Counts points, even if they are refused. */
    consume: (callerId: string, points: number) =>
      use(callerId, (limiter) =>
        limiter.consume(callerId, points).then(
          (result) => takenOf(result, false),
          (result: unknown) => {
            // A refusal is a result, not a failure of the store.
            if (result instanceof RateLimiterRes) return takenOf(result, true);
            throw result;
          },
        ),
      ),
    /** Counts points or, if negative, gives some back. */
    take: (callerId: string, points: number) =>
      use(callerId, (limiter) => (points > 0 ? limiter.penalty(callerId, points) : limiter.reward(callerId, -points))),
  };
}

function takenOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, isRefused: boolean) {
  return {
    isRefused,
    consumed: consumedPoints,
    remaining: remainingPoints,
    msLeft: Math.min(msBeforeNext, WINDOW_MS),
  };
}
