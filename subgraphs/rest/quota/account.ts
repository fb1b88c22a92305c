import type { QuotaLeft } from '../../../kernel/trace.js';
import { BULK } from '../ports/quota-log.js';

/**
 * What a service lets us call, and what we have used of it (reliability 8.1).
 *
 * A **scope** is a counter of a service, such as "60 calls a minute with this key"; its **account** is the log of our
 * calls that count in it, and what the service reported. A call passes through in four steps:
 *
 *     waiting ──take──▶ reserved ──take──▶ in flight ──land──▶ landed ──a window later──▶ no longer counted
 *                          └──────drop──────▶ given back
 *
 * A reserved call has a place, and is sent as soon as fewer calls are in flight. A process may die between any two steps.
 * So a call that is reserved or in flight has a **lease**: when that ends it counts as landed.
 *
 * `ports/quota-log.ts` holds the log, in this process or in Redis; `bounds.ts` says how many calls may join it, and
 * `ledger.ts` goes on without Redis when that is away.
 */
export interface Account {
  /** Reserves free places, the first calls first, and says how many may be sent now. Never rejects. */
  take(request: GrantRequest): Promise<Grant>;
  /** Records that a call was answered, or never will be. */
  land(landing: Landing): Promise<void>;
  /** Gives the places of calls back that were not sent. */
  drop(ids: readonly string[]): Promise<void>;
  /** Whether anything in the account still counts. */
  matters(): boolean;
}

/** Calls that wait to be sent. */
export interface GrantRequest {
  /** In order of their turns; none is in flight. */
  readonly ids: readonly string[];
  /** Milliseconds after which a call is given up, so that a dead process does not block it. */
  readonly leaseMs: number;
  readonly headroom: Headroom;
  /** Whether none is to be sent unless all are. */
  readonly all?: boolean;
}

/** What must stay free: a fraction of the limit, from 0 to 1, or half of what bulk calls have not left to others. */
export type Headroom = number | 'half of what is left';

/** What a request was granted, and when the rest of its calls can go. */
export interface Grant {
  /** How many of the ids, from the first on, may be sent now. */
  readonly granted: number;
  /** How many after these are reserved. The rest have no place. */
  readonly reserved: number;
  /** Milliseconds after which reserved calls may go although none has landed; or infinite. */
  readonly resumesInMs: number;
  /** Milliseconds until the call at this position after those granted may go; 0 if it waits for one in flight alone. */
  startsInMs(position: number): number;
  /** Milliseconds after which a caller refused at this position may retry. */
  retryInMs(position: number): number;
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
}

/** A number of calls per second, enforced by a proxy that reports nothing and counts a call when it arrives. */
export interface PaceScope {
  readonly kind: 'pace';
  readonly name: string;
  readonly perSecond: number;
  /** Calls that may be sent at once after a pause. */
  readonly burst: number;
}

/** So many of something at once, however long each takes: a place is free as soon as its holder gives it back. */
export interface PermitScope {
  readonly kind: 'permits';
  readonly name: string;
  readonly limit: number;
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

/** The id of a call, unique among all replicas, by which the log knows whether it is part of a count or walk of a list. */
export function callId(replica: string, number: number, callClass: CallClass): string {
  return `${replica}.${callClass === 'bulk' ? BULK : ''}${number.toString(36)}`;
}

/** Whether the scope counts only calls with the key of this fingerprint. */
export function isOfKey({ name }: QuotaScope, fingerprint: string): boolean {
  return name.includes(fingerprint);
}
