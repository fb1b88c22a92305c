/** One counter that a service (or the proxy before it) counts a call in. A call may be in several. */
export type QuotaScope = WindowScope | PaceScope;

/** So many calls in a window, reported by `x-ratelimit-*`. */
export interface WindowScope {
  readonly kind: 'window';
  /** Equal for calls that are counted together. It contains the fingerprint of a key, never the key. */
  readonly name: string;
  /** Calls a window, until response headers say otherwise; null when it is undocumented. */
  readonly limit: number | null;
  readonly windowMs: number;
  /** Fraction of the window, from 0 to 1, that is left to writes. None when left out. */
  readonly headroomForWrites?: number;
}

/** So many calls a second, enforced by a proxy that reports nothing. */
export interface PaceScope {
  readonly kind: 'pace';
  readonly name: string;
  readonly perSecond: number;
  /** Calls that may go out at once after a rest. */
  readonly burst: number;
}

/** The classes of calls, the highest priority first. */
export const CALL_CLASSES = ['write', 'read', 'background'] as const;

/** The class of a call. No caller waits for background work. */
export type CallClass = (typeof CALL_CLASSES)[number];

/** Fraction of a window that calls of a class must leave untouched. */
export function headroomOf(scope: QuotaScope, callClass: CallClass): number {
  const forWrites = scope.kind === 'window' ? (scope.headroomForWrites ?? 0) : 0;
  return { write: 0, read: forWrites, background: Math.max(forWrites, 0.5) }[callClass];
}

/** Whether it is counted for the key with this fingerprint alone. */
export function isOfKey({ name }: QuotaScope, fingerprint: string): boolean {
  return name.includes(fingerprint);
}
