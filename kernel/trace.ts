import type { ServiceName, SourceState } from './services.js';

/** How a call was answered. `BYPASS`: calls that are never cached, such as writes, identity and publishing states. */
export type CacheOutcome = 'HIT' | 'STALE' | 'MISS' | 'COALESCED' | 'BYPASS';

/** What a service last reported about the caller's quota for this kind of call. */
export interface QuotaLeft {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * Why a stale entry was served: it is being revalidated, or refreshing it is slow, failed or exceeds the quota.
 */
export type StaleReason = 'REVALIDATING' | 'SLOW' | 'OUTAGE' | 'QUOTA';

/** Age of a stale entry that was served, and why it was. */
export interface Staleness {
  readonly reason: StaleReason;
  /** Seconds since the service sent it. */
  readonly ageSeconds: number;
  /** Seconds since it stopped being fresh. */
  readonly staleSeconds: number;
}

/** What a service sent earlier, such as its daily export, and an operation read without a call. */
export interface StoredData {
  readonly service: ServiceName;
  /** The service's date of it, as sent. */
  readonly asOf: string;
}

/** One call to a service that the graph needed, made or saved. */
export interface UpstreamCall {
  readonly service: ServiceName;
  readonly method: string;
  /** Path with its variable parts named, such as `/job/v1/offer/{id}`; never a host, a key or a value. */
  readonly path: string;
  /** HTTP status of the response; null when nothing was sent or nothing came back. */
  readonly status: number | null;
  /** Milliseconds since the request started. */
  readonly startMs: number;
  readonly ms: number;
  /** Bytes of the response's body after decompression; 0 when no call was made. */
  readonly bytes: number;
  readonly cache: CacheOutcome;
  /** How many entities the response served. */
  readonly entities: number;
  readonly retries: number;
  /** How many requests were sent for it, including retries; 0 when it was saved, or refused before sending. */
  readonly sent?: number;
  /** What each of them counts as in what a request and its caller may make; absent for one. */
  readonly weight?: number;
  /** Milliseconds of `ms` spent waiting for the quota and for a slot; absent below one. */
  readonly queuedMs?: number;
  /** Present when the outcome is `STALE`. */
  readonly stale?: Staleness;
  /** Milliseconds for which the response stays fresh, at least; absent if it must not be cached. */
  readonly freshMs?: number;
  /** Code of the error that it ended with. */
  readonly error?: string;
  readonly quota?: QuotaLeft;
  /** True when the service accepted the caller's own key. */
  readonly tookOwnKey?: boolean;
  /** In a dry run: the counter that the call would fall under, and a key equal for calls that would be made once. */
  readonly priced?: { readonly scope: string; readonly coalescingKey: string | null };
  /**
   * Path of the field that caused it, such as `missions.nodes.@.commune`, with `@` for the items of lists; with remote
   * subgraphs, that of the fetch in the query plan, such as `missions.nodes.@`, empty for a root fetch.
   */
  readonly planNode: string;
}

/** What the requests sent for a call count as together. */
export function sentWeight({ sent = 0, weight = 1 }: UpstreamCall): number {
  return sent * weight;
}

/** The query plan as a tree. */
export interface PlanNode {
  readonly kind: 'Sequence' | 'Parallel' | 'Fetch' | 'Flatten' | 'Field' | 'Join';
  readonly service?: ServiceName | (string & {});
  readonly path?: string;
  readonly operation?: string;
  readonly children?: readonly PlanNode[];
}

/** `extensions.passerelle`: what a response cost. */
export interface Trace {
  readonly requestId: string;
  readonly timings: { readonly planMs: number; readonly executeMs: number; readonly totalMs: number };
  readonly plan: PlanNode | null;
  readonly calls: readonly UpstreamCall[];
  /** What was read without a call; absent if nothing was. */
  readonly stored?: readonly StoredData[];
  /** How many further rows were left out of `calls`; totals count them. */
  readonly callsOmitted: number;
  readonly totals: {
    readonly callsMade: number;
    readonly savedByCache: number;
    readonly savedBySharing: number;
  };
  readonly sources: readonly TracedSource[];
}

/** The state of a source at the time of the response. */
export interface TracedSource {
  readonly name: ServiceName;
  readonly state: SourceState;
  /** The tightest quota that this response's calls reported; absent when they reported none. */
  readonly quota?: QuotaLeft;
}
