import type { QuotaLeft } from '../../../kernel/trace.js';

/**
 * What a service lets us call, and what we have used of it (reliability 8.1).
 *
 * A **scope** is a counter of a service, such as "60 calls a minute with this key"; its **account** is our copy of it.
 * A call passes through an account in four steps:
 *
 *     waiting ──take──▶ reserved ──take──▶ in flight ──land──▶ landed ──a window later──▶ no longer counted
 *                          └──────drop──────▶ given back
 *
 * - **reserved**: it has a place in the window, and is sent as soon as fewer calls are in flight;
 * - **in flight**: it has its permit and was sent;
 * - **landed**: it was answered, or given up. It still counts for one window, as the service counts it.
 *
 * A process may die between any two steps. So a reserved or in-flight call has a **lease**: when that ends it counts as
 * landed, or never sent.
 *
 * An account is plain data, changed by `AccountRules`: the same pure functions in memory, in Redis for all
 * replicas (`ledger.ts` has both) and in a simulation.
 */
export interface Account {
  /** Reserves free places, and returns how many of the ids may be sent now. Ids reserved earlier stay reserved. */
  take(request: GrantRequest): Promise<Grant>;
  /** Records that a call was answered, or never will be. */
  land(landing: Landing): Promise<void>;
  /** Releases calls that were reserved but not sent. */
  drop(ids: readonly string[]): Promise<void>;
  /** Whether anything in the account still counts. */
  matters(): boolean;
}

/** Calls waiting to be sent. */
export interface GrantRequest {
  /** In order of their turns; none is in flight. An id is the replica's id, a dot, a tilde if bulk, and a number. */
  readonly ids: readonly string[];
  /** Milliseconds after which a reserved or in-flight id is given up, so that a dead process does not block it. */
  readonly leaseMs: number;
  readonly headroom: Headroom;
}

/** What must stay free: a fraction of the limit, from 0 to 1, or half of what bulk calls have not left to others. */
export type Headroom = number | 'half of what is left';

/** What a request was granted, and when the rest of its calls can go. */
export interface Grant {
  /** How many of the ids, from the first on, may be sent now. */
  readonly granted: number;
  /** How many after these are reserved until a call in flight lands. The rest have no place, or have lost it. */
  readonly reserved: number;
  /** Milliseconds until a refusal or the headers' window ends, so that reserved ids may go unlanded; or infinite. */
  readonly resumesInMs: number;
  /** Milliseconds until the id at this position after the reserved ones can be reserved. */
  startsInMs(position: number): number;
  /** Milliseconds after which a caller refused at this position may retry. */
  retryInMs(position: number): number;
  /** Milliseconds for which the service still refuses every call; 0 when it does not. */
  readonly blockedMs: number;
  /** Fraction of the window, from 0 to 1, that is free after this grant. */
  readonly left: number;
}

/** How a call ended. */
export interface Landing {
  readonly id: string;
  /** What the response's headers reported; null if nothing. */
  readonly quota: QuotaLeft | null;
  /** Milliseconds for which the service refuses every call of the scope; null when it did not refuse. */
  readonly blockMs: number | null;
}

/** The rules of one scope: pure functions of its account, the same in memory, when shared and in local fallback. */
export interface AccountRules<A> extends ValueKind<A> {
  take(account: A, request: GrantRequest, sharing: Sharing<A>): readonly [A, Grant];
  land(account: A, landing: Landing, nowMs: number): A;
  drop(account: A, ids: readonly string[]): A;
}

/** How a value that replicas share is written, read, and merged with what this replica knows. */
export interface ValueKind<V> {
  readonly empty: V;
  /** Times in the text are relative to `nowMs`, so that other processes can read it. */
  write(value: V, nowMs: number): string;
  read(text: string, nowMs: number): V;
  /** Merges the stored value with what this replica knows, after the store was out of reach. */
  merge(stored: V, known: V, replica: string): V;
  /** Whether losing the value would matter. */
  matters(value: V, nowMs: number): boolean;
}

/**
 * How much of an account may be used at a moment. `shared`: all of it. `local`: only this replica's share, because the
 * others are out of reach. `merging`: what others left, within this replica's share, until all have merged what they
 * did locally.
 */
export type Sharing<A> = { readonly nowMs: number } & (
  | { readonly kind: 'shared' }
  | { readonly kind: 'merging' | 'local'; readonly fallback: LocalFallback<A> }
);

/** What a replica knows while it cannot reach the others. */
export interface LocalFallback<A> {
  readonly replica: string;
  /** The account as last seen, and when the others were lost. */
  readonly seen: A;
  readonly sinceMs: number;
  /** How many replicas there are, including this one; errs on the high side. */
  readonly replicas: number;
}

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
export const CALL_CLASSES = ['write', 'read', 'bulk', 'background'] as const;

/** The class of a call. No caller waits for background work. */
export type CallClass = (typeof CALL_CLASSES)[number];

/** What calls of a class must leave free of a window. */
export function headroomOf(scope: QuotaScope, callClass: CallClass): Headroom {
  const forWrites = scope.kind === 'window' ? (scope.headroomForWrites ?? 0) : 0;
  const background = Math.max(forWrites, 0.5);
  return { write: 0, read: forWrites, bulk: 'half of what is left' as const, background }[callClass];
}

/** The id of a call, by which its account knows whether it is part of a count or walk of a whole list. */
export function callId(replica: string, number: number, callClass: CallClass): string {
  return `${replica}.${callClass === 'bulk' ? '~' : ''}${number.toString(36)}`;
}

/** Whether an id is that of a bulk call. */
export function isBulk(id: string): boolean {
  return id.includes('.~');
}

/** Whether the scope counts only calls with the key of this fingerprint. */
export function isOfKey({ name }: QuotaScope, fingerprint: string): boolean {
  return name.includes(fingerprint);
}
