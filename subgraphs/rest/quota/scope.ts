/** A counter in which a service, or the proxy in front of it, counts a call. A call may fall under several. */
export type QuotaScope = WindowScope | PaceScope;

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
}

/** A number of calls per second, enforced by a proxy that reports nothing. */
export interface PaceScope {
  readonly kind: 'pace';
  readonly name: string;
  readonly perSecond: number;
  /** Calls that may be sent at once after a pause. */
  readonly burst: number;
}

/** The classes of calls, highest priority first. */
export const CALL_CLASSES = ['write', 'read', 'background'] as const;

/** The class of a call. No caller waits for background work. */
export type CallClass = (typeof CALL_CLASSES)[number];

/** Fraction of a window, from 0 to 1, that calls of a class must leave free. */
export function headroomOf(scope: QuotaScope, callClass: CallClass): number {
  const forWrites = scope.kind === 'window' ? (scope.headroomForWrites ?? 0) : 0;
  return { write: 0, read: forWrites, background: Math.max(forWrites, 0.5) }[callClass];
}

/** Whether the scope counts only calls with the key of this fingerprint. */
export function isOfKey({ name }: QuotaScope, fingerprint: string): boolean {
  return name.includes(fingerprint);
}
