import { z } from 'zod';
import { LONGEST_FRESH_MS } from './bounds.js';
import { readDate } from './dates.js';
import { SERVICES, type ServiceName, type SourceState } from './services.js';

/*
 * What is told of the calls of an operation. What a subgraph in another process tells is checked by a schema, which is
 * also its type.
 */

const CACHE_OUTCOME = z.enum(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']);
/** How a call was answered. `BYPASS`: calls that are never cached, such as writes, identity and publishing states. */
export type CacheOutcome = z.infer<typeof CACHE_OUTCOME>;

/** Checks what another process tells of a quota. */
export const QUOTA_LEFT = z.object({ limit: z.number(), remaining: z.number(), resetSeconds: z.number() });
/** What a service last reported about the caller's quota for this kind of call. */
export type QuotaLeft = Readonly<z.infer<typeof QUOTA_LEFT>>;

const STALE_REASON = z.enum(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']);
/** Why a stale entry was served: it is being revalidated, or refreshing it is slow, failed or exceeds the quota. */
export type StaleReason = z.infer<typeof STALE_REASON>;

const STALENESS = z.object({
  reason: STALE_REASON,
  /** Seconds since the service sent it. */
  ageSeconds: z.number(),
  /** Seconds since it stopped being fresh. */
  staleSeconds: z.number(),
});
/** Age of a stale entry that was served, and why it was. */
export type Staleness = Readonly<z.infer<typeof STALENESS>>;

/** Checks what another process tells of data that it read without a call. */
export const STORED_DATA = z.object({
  service: z.enum(SERVICES),
  /** The service's date of it, as sent. */
  asOf: z.string().refine((text) => readDate(text) !== null),
});
/** What a service sent earlier, such as its daily export, and an operation read without a call. */
export type StoredData = Readonly<z.infer<typeof STORED_DATA>>;

/** Checks what another process tells of a call. */
export const UPSTREAM_CALL = z.object({
  service: z.enum(SERVICES),
  method: z.string(),
  /** Path with its variable parts named, such as `/job/v1/offer/{id}`; never a host, a key or a value. */
  path: z.string(),
  /** HTTP status of the response; null when nothing was sent or nothing came back. */
  status: z.number().nullable(),
  /** Milliseconds since the request started. */
  startMs: z.number(),
  ms: z.number(),
  /** Bytes of the response's body after decompression; 0 when no call was made. */
  bytes: z.number(),
  cache: CACHE_OUTCOME,
  /** How many entities the response served. */
  entities: z.number(),
  retries: z.number(),
  /** How many requests were sent for it, including retries; 0 when it was saved, or refused before sending. */
  sent: z.number().nonnegative().exactOptional(),
  /** What each of them counts as in what a request and its caller may make; absent for one. */
  weight: z.number().nonnegative().exactOptional(),
  /** Milliseconds of `ms` spent waiting for the quota and for a slot; absent below one. */
  queuedMs: z.number().exactOptional(),
  /** Present when the outcome is `STALE`. */
  stale: STALENESS.exactOptional(),
  /** Milliseconds for which the response stays fresh, at least; absent if it must not be cached. */
  freshMs: z.number().max(LONGEST_FRESH_MS).optional(),
  /** Code of the error that it ended with. */
  error: z.string().exactOptional(),
  quota: QUOTA_LEFT.exactOptional(),
  /** True when the service accepted the caller's own key. */
  tookOwnKey: z.boolean().exactOptional(),
  /** In a dry run: the counter that the call would fall under, and a key equal for calls that would be made once. */
  priced: z.object({ scope: z.string(), coalescingKey: z.string().nullable() }).exactOptional(),
  /**
   * Path of the field that caused it, such as `missions.nodes.@.commune`, with `@` for the items of lists; with remote
   * subgraphs, that of the fetch in the query plan, such as `missions.nodes.@`, empty for a root fetch.
   */
  planNode: z.string(),
});
/** One call to a service that the graph needed, made or saved. */
export type UpstreamCall = Readonly<z.infer<typeof UPSTREAM_CALL>>;

/** What the requests sent for a call count as together. */
export function sentWeight({ sent = 0, weight = 1 }: Pick<UpstreamCall, 'sent' | 'weight'>): number {
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
