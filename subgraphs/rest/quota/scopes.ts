import { BULK } from '../ports/quota-log.js';

/** A counter in which a service, or the proxy in front of it, counts a call. A call may fall under several. */
export type QuotaScope = WindowScope | PaceScope | PermitScope;

/** A number of calls per window, reported by `x-ratelimit-*`. */
export interface WindowScope {
  readonly kind: 'window';
  /** Equal for calls that are counted together. May contain a key's fingerprint, never the key. */
  readonly name: string;
  /** Calls per window, until response headers say otherwise; null if undocumented. */
  readonly limit: number | null;
  readonly windowMs: number;
  /** Fraction of the window, from 0 to 1, that is left free for writes. Default 0. */
  readonly headroomForWrites?: number;
  /** Its name without the key, and the account that it counts for; null if it is for calls of all. */
  readonly label?: string;
  readonly account?: string | null;
}

/** A number of calls per second, enforced by a proxy that reports nothing and counts a call when it arrives. */
export interface PaceScope {
  readonly kind: 'pace';
  readonly name: string;
  readonly perSecond: number;
  /** Calls that may be sent at once after a pause. */
  readonly burst: number;
}

/** So much of something at once: a call's permits are free as soon as it has been answered. */
export interface PermitScope {
  readonly kind: 'permits';
  readonly name: string;
  readonly limit: number;
  /** Permits that the call needs; one that needs more than there are goes alone. */
  readonly permits: number;
  /** Milliseconds that the service works for each permit, after which those of an abandoned call are free too. */
  readonly msPerPermit: number;
}

/** The classes of calls, highest priority first. */
export const CALL_CLASSES = ['write', 'read', 'bulk', 'background'] as const;

/** The class of a call. No caller waits for background work. */
export type CallClass = (typeof CALL_CLASSES)[number];

/** What must stay free: a fraction of the limit, from 0 to 1, or half of what bulk calls have not left to others. */
export type Headroom = number | 'half of what is left';

/** What calls of a class must leave free of a scope. */
export function headroomOf(scope: QuotaScope, callClass: CallClass): Headroom {
  if (scope.kind === 'permits') return 0;
  const forWrites = scope.kind === 'window' ? (scope.headroomForWrites ?? 0) : 0;
  const background = Math.max(forWrites, 0.5);
  return { write: 0, read: forWrites, bulk: 'half of what is left' as const, background }[callClass];
}

/** The id of a call, unique among all replicas, by which the log knows whether it is part of a count or walk of a list. */
export function callId(replica: string, number: number, callClass: CallClass): string {
  return `${replica}.${callClass === 'bulk' ? BULK : ''}${number.toString(36)}`;
}

/** The name of a scope as people read it, without the key that it is of. */
export function labelOf({ name }: QuotaScope, fingerprint: string): string {
  return name.replaceAll(fingerprint, '').trim();
}

/** Whether the scope counts only calls with the key of this fingerprint. */
export function isOfKey({ name }: QuotaScope, fingerprint: string): boolean {
  return name.includes(fingerprint);
}

const GUARD_MS = 1000;

/**
 * How a scope counts: how many calls may count (null if unknown), for how many milliseconds one counts after it was
 * answered, and how many are added to every end that the service names, because services round them. A pace is a window
 * in which as many calls count as may be sent at once, each from when it is sent.
 */
export function countedOf(scope: QuotaScope): { limit: number | null; countsMs: number; guardMs: number } {
  if (scope.kind === 'permits') return { limit: scope.limit, countsMs: 0, guardMs: 0 };
  if (scope.kind === 'pace')
    return { limit: scope.burst, countsMs: (1000 * scope.burst) / scope.perSecond, guardMs: 0 };
  return { limit: scope.limit, countsMs: scope.windowMs + GUARD_MS, guardMs: GUARD_MS };
}
