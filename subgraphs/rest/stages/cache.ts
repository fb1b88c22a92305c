import { createLru, unwatched, type WatchCache } from '../../../kernel/caches.js';
import { CodedError } from '../../../kernel/errors.js';
import type { Deadline } from '../../../kernel/operation.js';
import type { StaleReason } from '../../../kernel/trace.js';
import { isGoodUntil } from '../cache/response-cache.js';
import { type CacheEntry, type Call, type CallResponse, type Handler, isBackground, type Stage } from '../call.js';
import { deadlineExceeded, isOutage } from '../failures.js';
import { doubtfulKey } from '../keys.js';
import type { Clock } from '../ports/ports.js';
import { isWrite, type UpstreamRequest } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Serves fresh cache entries from memory first, without waiting unless replicas share a store, then from the store. */
export function cache({ cache, clock }: ServiceParts): Stage {
  return (next) => async (incoming) => {
    if (incoming.request.cache === 'never') return next(incoming);
    const placed = cache.place(incoming);
    const call = placed instanceof Promise ? await placed : placed;
    let entry = cache.get(call.identity);
    if (entry === undefined) {
      const loading = cache.load(call);
      if (loading !== null) entry = await loading;
    }
    const nowMs = clock.wallMs();
    if (entry !== undefined && isGoodUntil(entry.freshUntilMs, entry.storedAtMs, nowMs)) {
      call.trail.cache = 'HIT';
      call.trail.freshMs = entry.freshUntilMs - nowMs;
      call.trail.storedAtMs = entry.storedAtMs;
      return entry.response;
    }
    return next(entry === undefined ? call : { ...call, entry });
  };
}

/** Stores successful responses as their class says. A write invalidates all entries of its key. */
export function store({ cache }: ServiceParts): Stage {
  return (next) => async (call) => {
    try {
      const response = await next(call);
      cache.put(call, response);
      return response;
    } finally {
      // Even after a failure: the service may have done what it could not confirm.
      if (isWrite(call.request) && call.trail.sent > 0) await cache.invalidate(call.partition);
    }
  };
}

/** A call in flight and its waiting callers. */
interface Flight {
  readonly response: Promise<CallResponse>;
  readonly waiting: Set<Call>;
  /** Ends the call. */
  stop(reason: unknown): void;
  /** A caller now waits for what started as background work: unless that is already sent, their call replaces it. */
  promote(call: Call): void;
}

/**
 * Coalesces equal calls in flight. The last caller to leave closes the socket; any other departure changes nothing, not
 * even the first caller's. Each caller's own deadline is watched here. Calls of class `never` are not shared.
 */
export function coalesce({ service, clock }: ServiceParts): Stage {
  const flights = new Map<string, Flight>();

  return (next) => async (call) => {
    // The caller may have left while the cache was read.
    if (call.signal.aborted) throw deadlineExceeded(service, call.signal.reason);
    const shared = call.request.cache !== 'never';
    const known = shared ? flights.get(call.identity) : undefined;
    if (known !== undefined) {
      call.trail.cache = 'COALESCED';
      known.waiting.add(call);
      known.promote(call);
      return waitFor(known, call);
    }
    const flight = startFlight(call, next);
    if (shared) {
      flights.set(call.identity, flight);
      void flight.response.catch(() => {}).finally(() => forget(call.identity, flight));
    }
    return waitFor(flight, call);
  };

  function forget(identity: string, flight: Flight): void {
    if (flights.get(identity) === flight) flights.delete(identity);
  }

  /** The flight's response, unless the caller leaves or runs out of time first. */
  function waitFor(flight: Flight, call: Call): Promise<CallResponse> {
    flight.waiting.add(call);
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        // An aborted signal has dropped its listeners already, and finding one among thousands takes long.
        if (!call.signal.aborted) call.signal.removeEventListener('abort', leaveSoon);
        flight.waiting.delete(call);
      };
      const leave = () => {
        if (!flight.waiting.has(call)) return;
        stop();
        reject(deadlineExceeded(service, call.signal.reason));
        if (flight.waiting.size > 0) return;
        forget(call.identity, flight);
        flight.stop(call.signal.reason);
      };
      const cancel = clock.after(call.deadline.remainingMs(), leave);
      const leaveSoon = () => clock.soon(leave);
      call.signal.addEventListener('abort', leaveSoon, { once: true });
      flight.response.then(resolve, reject).finally(stop);
    });
  }
}

/** Starts a flight for its first caller. Its deadline is the latest of its waiting callers' deadlines. */
function startFlight(first: Call, next: (call: Call) => Promise<CallResponse>): Flight {
  const waiting = new Set([first]);
  const deadline = {
    remainingMs() {
      let latest = 0;
      for (const one of waiting) latest = Math.max(latest, one.deadline.remainingMs());
      return latest;
    },
  };
  let flying = first;
  let controller = new AbortController();
  let settle: { resolve(response: CallResponse): void; reject(reason: unknown): void };
  const response = new Promise<CallResponse>((resolve, reject) => {
    settle = { resolve, reject };
  });

  function fly(call: Call): void {
    flying = call;
    const own = new AbortController();
    controller = own;
    next({ ...call, signal: own.signal, stop: () => own.abort(), deadline }).then(
      (value) => flying === call && settle.resolve(value),
      (reason) => flying === call && settle.reject(reason),
    );
  }

  fly(first);
  return {
    response,
    waiting,
    stop: (reason) => controller.abort(reason),
    promote(call) {
      if (!isBackground(flying) || isBackground(call) || flying.trail.sent > 0) return;
      const replaced = controller;
      fly(call);
      replaced.abort();
    },
  };
}

/**
 * Serves stale entries, with their age and the reason: at once while they are being revalidated or recently failed to
 * refresh, after a short wait if the refresh is slow, and when it fails because of the service or the quota. A refused
 * key, a missing permission and an unknown id are valid responses, and are passed on.
 */
export function stale(parts: ServiceParts): Stage {
  const { service, clock, groups, keyStates } = parts;
  const refresher = createRefresher(parts);

  return (next) => async (call) => {
    const { entry } = call;
    if (entry === null || entry.response.cacheControl.mustRevalidate || clock.wallMs() >= untilMs(call, entry))
      return next(call);
    const group = groups.of(call.request);
    const held = refresher.heldBack(call, group.lastSuccessMs);
    // A background refresh is the best trial.
    if (held !== null && group.state === 'open' && group.trialInMs === 0) refresher.inBackground(call, next);
    if (held !== null) return serveStale(call, entry, held);
    if (isGoodUntil(entry.revalidateUntilMs, entry.storedAtMs, clock.wallMs())) {
      refresher.inBackground(call, next);
      return serveStale(call, entry, 'REVALIDATING');
    }
    const refreshed = await refresher.inForeground(call, next);
    if (typeof refreshed !== 'string') return refreshed;
    // The refresh may have raised a doubt.
    if (clock.wallMs() >= untilMs(call, entry)) throw doubtfulKey(service);
    return serveStale(call, entry, refreshed);
  };

  /** Until when an entry may be served: a caller's own data, only for a while once their key is doubtful. */
  function untilMs({ credential, operation }: Call, { storedAtMs, staleUntilMs }: CacheEntry): number {
    const isOwn = credential !== null && credential === operation.credential;
    return isOwn && keyStates.verdictOn(credential.fingerprint) === 'doubtful'
      ? Math.min(staleUntilMs, storedAtMs + OWN_IN_DOUBT_MS)
      : staleUntilMs;
  }

  function serveStale(
    { trail }: Call,
    { response, storedAtMs, freshUntilMs }: CacheEntry,
    reason: StaleReason,
  ): CallResponse {
    const nowMs = clock.wallMs();
    const secondsSince = (ms: number) => Math.max(0, Math.floor((nowMs - ms) / 1000));
    trail.cache = 'STALE';
    trail.storedAtMs = storedAtMs;
    trail.stale = { reason, ageSeconds: secondsSince(storedAtMs), staleSeconds: secondsSince(freshUntilMs) };
    return response;
  }
}

/** How old a caller's own data may be while it is not known whether their key is still good. */
const OWN_IN_DOUBT_MS = 5 * 60_000;

/** A caller for whom there is a stale entry waits at most this long for a fresher one (reliability 5). */
const SOFT_MS = 1500;
/** How long a background refresh may take, including queueing, if the request has no more time for an attempt. */
const REFRESH_MS = 30_000;

/** Refreshes stale cache entries, with or without a caller waiting for the result. */
interface Refresher {
  /** Why a refresh that recently failed must not be retried yet; null when it may be. */
  heldBack(call: Call, lastSuccessMs: number): StaleReason | null;
  /** Refreshes in the background, one refresh at a time per entry, for at most 30 s. */
  inBackground(call: Call, next: Handler): void;
  /** The refreshed response, or why there is none within 1.5 s. A merely slow refresh goes on in the background. */
  inForeground(call: Call, next: Handler): Promise<CallResponse | StaleReason>;
}

/** Remembers which refreshes failed and which are in progress. */
function createRefresher({ clock, detach, keyStates, watchCache }: ServiceParts): Refresher {
  const backoff = new RefreshBackoff(clock, watchCache);
  const refreshing = new Set<string>();

  /** Remembers a failure, so that the next caller does not run into it at once. */
  async function refresh(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
    try {
      const response = await next(call);
      backoff.succeeded(call.identity);
      return response;
    } catch (error) {
      const reason = excuse(error);
      // If a caller leaves before the retry, the first attempt has failed all the same.
      const failed = reason ?? excuse(call.trail.failure);
      // A doubtful key is held back by itself, and for seconds only.
      const isDoubtful = call.credential !== null && keyStates.verdictOn(call.credential.fingerprint) === 'doubtful';
      if (failed !== null && !isDoubtful) backoff.failed(call.identity, failed);
      if (reason === null) throw error;
      return reason;
    }
  }

  function ownDeadline({ attemptMs = 0 }: UpstreamRequest<unknown>): Deadline {
    const untilMs = clock.monotonicMs() + Math.max(REFRESH_MS, attemptMs);
    return { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
  }

  function inBackground(call: Call, next: Handler): void {
    if (refreshing.has(call.identity)) return;
    refreshing.add(call.identity);
    const deadline = ownDeadline(call.request);
    const { signal } = new AbortController();
    detach({ ...call, unattended: true, signal, deadline }, async (own) => {
      await refresh(own, next).finally(() => refreshing.delete(call.identity));
    });
  }

  function inForeground(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
    const controller = new AbortController();
    const deadline = ownDeadline(call.request);
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        call.signal.removeEventListener('abort', leave);
      };
      const leave = () => {
        stop();
        controller.abort(call.signal.reason);
      };
      const cancel = clock.after(Math.min(SOFT_MS, call.deadline.remainingMs()), () => {
        stop();
        resolve('SLOW');
      });
      call.signal.addEventListener('abort', leave, { once: true });
      refresh({ ...call, signal: controller.signal, deadline }, next)
        .then(resolve, reject)
        .finally(stop);
    });
  }

  return { heldBack: (call, lastSuccessMs) => backoff.holds(call.identity, lastSuccessMs), inBackground, inForeground };
}

/** Why a stale entry may be served instead of a failure; null when it may not. */
function excuse(error: unknown): StaleReason | null {
  if (isOutage(error)) return 'OUTAGE';
  return error instanceof CodedError && error.code === 'RATE_LIMITED' ? 'QUOTA' : null;
}

/** After a failed refresh the next one waits this long, doubling with each further failure (reliability 5). */
const FIRST_MS = 10_000;
const MAX_PAUSE_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;
/** Bytes of heap for an entry with its key. */
const FAILED_BYTES = 1000;

interface Failed {
  readonly times: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly reason: StaleReason;
}

/**
 * Entries whose last refresh failed, at most 10,000, so that a service that is down is not called for each of them: the
 * next refresh waits 10 s after the first failure, doubling to 5 min.
 */
export class RefreshBackoff {
  private readonly clock: Clock;
  private readonly entries = createLru<Failed>(MAX_ENTRIES);

  constructor(clock: Clock, watchCache: WatchCache = unwatched) {
    this.clock = clock;
    watchCache('failed-refreshes', () => FAILED_BYTES * this.entries.size);
  }

  /** Why an entry must not be refreshed now; null if it may be, as after any later success of its routes. */
  holds(identity: string, lastSuccessMs: number): StaleReason | null {
    const failed = this.entries.get(identity);
    if (failed === undefined || failed.atMs < lastSuccessMs || this.clock.monotonicMs() >= failed.untilMs) return null;
    return failed.reason;
  }

  failed(identity: string, reason: StaleReason): void {
    const atMs = this.clock.monotonicMs();
    const times = (this.entries.get(identity)?.times ?? 0) + 1;
    const untilMs = atMs + Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** (times - 1));
    this.entries.set(identity, { times, atMs, untilMs, reason });
  }

  succeeded(identity: string): void {
    this.entries.delete(identity);
  }
}
