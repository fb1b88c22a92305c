import { CodedError } from '../../../kernel/errors.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { parseHttpDate } from './clock.js';
import type { WireHead } from './transport.js';

/**
 * From here up, a reset is a time in epoch seconds (volunteering 6, waste-identity 8); below, it is the seconds left
 * (work-study 4.1).
 */
const EPOCH_FROM = 1e9;
/** No service has a window longer than a minute: a reset or wait beyond two windows is absurd, and capped. */
const MAX_WAIT_SECONDS = 120;

type Headers = Readonly<Record<string, string>>;

/** What a response's headers say about the quota; null when one is missing or malformed. */
export function readQuota(headers: Headers): QuotaLeft | null {
  const limit = count(headers['x-ratelimit-limit']);
  const remaining = count(headers['x-ratelimit-remaining']);
  const resetSeconds = readReset(headers);
  return limit === null || remaining === null || resetSeconds === null ? null : { limit, remaining, resetSeconds };
}

/** The same of a response: a success that announces a limit of 0 contradicts itself, so that it says nothing. */
export function quotaOf({ status, headers }: WireHead): QuotaLeft | null {
  const quota = readQuota(headers);
  return quota?.limit === 0 && status < 400 ? null : quota;
}

/**
 * Seconds until the window ends, from `x-ratelimit-reset`; null if unknown. A time is compared with the response's own
 * `Date`, never with our clock, which may be wrong by minutes; without a `Date` it says nothing.
 */
export function readReset(headers: Headers): number | null {
  const reset = number(headers['x-ratelimit-reset']);
  if (reset === null) return null;
  if (reset < EPOCH_FROM) return clamp(reset);
  const dateMs = parseHttpDate(headers['date']);
  return dateMs === null ? null : clamp(reset - dateMs / 1000);
}

/** Seconds to wait from `retry-after`, in seconds or as a date; null when it is missing or malformed. */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers['retry-after'];
  const seconds = number(text);
  if (seconds !== null) return clamp(seconds);
  const untilMs = parseHttpDate(text);
  const dateMs = parseHttpDate(headers['date']);
  return untilMs === null || dateMs === null ? null : clamp((untilMs - dateMs) / 1000);
}

function clamp(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_WAIT_SECONDS);
}

function number(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function count(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

/** A service or its proxy refused a call because there were too many of them. */
export interface Refusal {
  /** Milliseconds until its window ends, and until it says to retry; null where it does not say. */
  readonly resetMs: number | null;
  readonly retryAfterMs: number | null;
}

/** The refusal in a response; null if there is none. A business limit on a write is no call quota (work-study 4.3). */
export function readRefusal(head: WireHead | null, failure: unknown): Refusal | null {
  if (head === null || (head.status !== 429 && head.status !== 419)) return null;
  if (failure instanceof CodedError && failure.code === 'BUSINESS_QUOTA') return null;
  return { resetMs: inMs(readReset(head.headers)), retryAfterMs: inMs(readRetryAfter(head.headers)) };
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

/**
 * Whether a response may be cached, as its service says (RFC 9111 5.2.2). For how long is our own policy: no service
 * says.
 */
export interface CacheDirectives {
  /** Not stored at all. */
  readonly noStore: boolean;
  /** Stored, but revalidated each time, so that only its entity tag saves anything. */
  readonly noCache: boolean;
  /** Never served stale. This is a shared cache, so directives for shared caches apply. */
  readonly mustRevalidate: boolean;
}

/** No restrictions on caching, as of a response without `cache-control`. */
export const NO_DIRECTIVES: CacheDirectives = { noStore: false, noCache: false, mustRevalidate: false };

/** Reads `cache-control`. Unknown directives and `max-age` are ignored. */
export function readCacheControl(text: string | undefined): CacheDirectives {
  if (text === undefined) return NO_DIRECTIVES;
  const directives = new Set(text.split(',').map((directive) => directive.split('=', 1)[0]?.trim().toLowerCase()));
  const noCache = directives.has('no-cache');
  return {
    noStore: directives.has('no-store'),
    noCache,
    mustRevalidate: noCache || ['must-revalidate', 'proxy-revalidate', 's-maxage'].some((name) => directives.has(name)),
  };
}
