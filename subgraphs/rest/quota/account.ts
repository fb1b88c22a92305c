import type { QuotaLeft } from '../../../schema/trace.js';
import type { ValueKind } from './shared-value.js';

/** The account of one scope. A call is reserved, then in flight, then landed; it counts until a window after that. */
export interface Account {
  /** Reserves what is free, and says how many of the ids may be sent now. Ids reserved before stay reserved. */
  take(request: GrantRequest): Promise<Grant>;
  /** The call was answered, or will never be. */
  land(landing: Landing): Promise<void>;
  /** These calls were reserved and not sent. */
  drop(ids: readonly string[]): Promise<void>;
  /** Whether anything in it still counts. */
  matters(): boolean;
}

/** Calls that want to be sent. */
export interface GrantRequest {
  /** In the order of their turn; none of them is in flight. Ids are the replica's id, a dot and a number. */
  readonly ids: readonly string[];
  /** Milliseconds after which an id that is reserved or in flight is given up, so that a dead process frees it. */
  readonly leaseMs: number;
  /** Fraction of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
}

/** What a request was granted, and when the rest of it can go. */
export interface Grant {
  /** So many of the ids, from the first on, may be sent now. */
  readonly granted: number;
  /** So many after these are reserved until one in flight lands. What follows has no place, or has lost it. */
  readonly reserved: number;
  /** Milliseconds until reserved ids may be sent without a landing: a refusal or the headers' window ends; or infinite. */
  readonly resumesInMs: number;
  /** Milliseconds until the id at a position behind the reserved ones can be reserved. */
  startsInMs(position: number): number;
  /** Milliseconds after which a caller may retry who is refused at that position. */
  retryInMs(position: number): number;
  /** Milliseconds for which the service refuses every call; 0 when it does not. */
  readonly blockedMs: number;
  /** Fraction of the window, from 0 to 1, that is free after this. */
  readonly left: number;
}

/** How a call ended. */
export interface Landing {
  readonly id: string;
  /** What the response's headers said; null when they said nothing. */
  readonly quota: QuotaLeft | null;
  /** Milliseconds for which the service refuses every call of the scope; null when it did not refuse. */
  readonly blockMs: number | null;
}

/** The rules of one scope: pure functions of its account, the same in memory, shared and in local fallback. */
export interface AccountRules<A> extends ValueKind<A> {
  take(account: A, request: GrantRequest, standing: Standing<A>): readonly [A, Grant];
  land(account: A, landing: Landing, nowMs: number): A;
  drop(account: A, ids: readonly string[]): A;
}

/**
 * How much of an account may be used at a moment. `shared`: all of it, as it is. `merging`: what others left, within this
 * replica's share, until all have merged what they did locally. `local`: the share alone, for the others are out of reach.
 */
export type Standing<A> = { readonly nowMs: number } & (
  | { readonly kind: 'shared' }
  | { readonly kind: 'merging' | 'local'; readonly fallback: LocalFallback<A> }
);

/** What a replica knows that cannot reach the others. */
export interface LocalFallback<A> {
  readonly replica: string;
  /** The account as it was seen last, and when the others were lost. */
  readonly seen: A;
  readonly sinceMs: number;
  /** How many replicas there are, this one included: rather too many than too few. */
  readonly replicas: number;
}

/** The id of the replica that made an id. */
export function replicaOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
