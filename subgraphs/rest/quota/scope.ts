/** One counter that a service (or the proxy before it) counts a call in. A call may be in several. */
export type QuotaScope = WindowScope | PaceScope;

/** So many calls in a window, told by `x-ratelimit-*`. */
export interface WindowScope {
  readonly kind: 'window';
  /** Equal for calls that are counted together. A key stands in it by its fingerprint, never by itself. */
  readonly name: string;
  /** Calls a window, until an answer's headers say otherwise; null when nobody has documented it. */
  readonly limit: number | null;
  readonly windowMs: number;
  /** Share of the window, from 0 to 1, that is left to writes. None when left out. */
  readonly keptForWrites?: number;
}

/** So many calls a second, enforced by a proxy that tells nothing. */
export interface PaceScope {
  readonly kind: 'pace';
  readonly name: string;
  readonly perSecond: number;
  /** Calls that may go out at once after a rest. */
  readonly burst: number;
}

/**
 * Who waits for a call, the first served first. A write is somebody's deed; background work has nobody waiting and
 * runs only while more than half of the window is left.
 */
export type CallClass = 'write' | 'person' | 'background';

/** Share of a window that calls of a class must leave untouched. */
export function headroomOf(scope: QuotaScope, callClass: CallClass): number {
  const kept = scope.kind === 'window' ? (scope.keptForWrites ?? 0) : 0;
  return { write: 0, person: kept, background: Math.max(kept, 0.5) }[callClass];
}
