import { createLru } from '../../../kernel/caches.js';
import { CodedError } from '../../../kernel/errors.js';
import type { StaleReason } from '../../../kernel/trace.js';
import { isGoodUntil } from '../cache/response-cache.js';
import { type CacheEntry, type Call, type CallResponse, type Handler, isBackground, type Stage } from '../call.js';
import { deadlineExceeded, doubtfulKey, isOutage } from '../failures.js';
import { endingIn, sleep } from '../ports/ports.js';
import { isWrite } from '../upstream.js';
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
type Flight = ReturnType<typeof startFlight>;

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
      const leaveSoon = () => clock.soon(leave, call.operation.caller);
      call.signal.addEventListener('abort', leaveSoon, { once: true });
      flight.response.then(resolve, reject).finally(stop);
    });
  }
}

/** Starts a flight for its first caller. Its deadline is the latest of its waiting callers' deadlines. */
function startFlight(first: Call, next: Handler) {
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
    /** Ends the call. */
    stop: (reason: unknown) => controller.abort(reason),
    /** A caller now waits for what started as background work: unless that is already sent, their call replaces it. */
    promote(call: Call): void {
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
  const { service, clock, groups } = parts;
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
  function untilMs(call: Call, { storedAtMs, staleUntilMs }: CacheEntry): number {
    const isOwn = call.credential === call.operation.credential;
    const isInDoubt = isOwn && groups.keys.verdictOn(call.credential) === 'doubtful';
    return isInDoubt ? Math.min(staleUntilMs, storedAtMs + OWN_IN_DOUBT_MS) : staleUntilMs;
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

/** After a failed refresh the next one waits this long, doubling with each further failure (reliability 5). */
const FIRST_MS = 10_000;
const MAX_PAUSE_MS = 5 * 60_000;
const MAX_FAILED = 10_000;
/** Bytes of heap for an entry with its key. */
const FAILED_BYTES = 1000;

/** An entry whose last refresh failed: how many in a row, when, until when it is not tried again, and why. */
interface Failed {
  readonly times: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly reason: StaleReason;
}

/**
 * Refreshes stale cache entries, with or without a caller waiting for the result. Remembers which refreshes are in
 * progress and which failed, so that a service that is down is not called for each entry.
 */
export function createRefresher({
  clock,
  detach,
  groups,
  watchCache,
}: Pick<ServiceParts, 'clock' | 'detach' | 'groups' | 'watchCache'>) {
  const failures = createLru<Failed>(MAX_FAILED);
  watchCache?.('failed-refreshes', () => FAILED_BYTES * failures.size);
  const refreshing = new Set<string>();

  function fail(identity: string, reason: StaleReason): void {
    const atMs = clock.monotonicMs();
    const times = (failures.get(identity)?.times ?? 0) + 1;
    const untilMs = atMs + Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** (times - 1));
    failures.set(identity, { times, atMs, untilMs, reason });
  }

  async function refresh(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
    const deadline = endingIn(Math.max(REFRESH_MS, call.request.attemptMs ?? 0), null, clock);
    try {
      const response = await next({ ...call, deadline });
      failures.delete(call.identity);
      return response;
    } catch (error) {
      const reason = excuse(error);
      // If a caller leaves before the retry, the first attempt has failed all the same.
      const failed = reason ?? excuse(call.trail.failure);
      // A doubtful key is held back by itself, and for seconds only.
      if (failed !== null && groups.keys.verdictOn(call.credential) !== 'doubtful') fail(call.identity, failed);
      if (reason === null) throw error;
      return reason;
    }
  }

  return {
    /** Why an entry must not be refreshed now; null if it may be, as after any later success of its routes. */
    heldBack({ identity }: Call, lastSuccessMs: number): StaleReason | null {
      const failed = failures.get(identity);
      const isHeld = failed !== undefined && failed.atMs >= lastSuccessMs && clock.monotonicMs() < failed.untilMs;
      return isHeld ? failed.reason : null;
    },
    /** Refreshes in the background, one refresh at a time per entry, for at most 30 s. */
    inBackground(call: Call, next: Handler): void {
      if (refreshing.has(call.identity)) return;
      refreshing.add(call.identity);
      detach({ ...call, unattended: true, signal: new AbortController().signal }, async (own) => {
        await refresh(own, next).finally(() => refreshing.delete(call.identity));
      });
    },
    /** The refreshed response, or why there is none within 1.5 s. A merely slow refresh goes on in the background. */
    async inForeground(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
      const [own, timer] = [new AbortController(), new AbortController()];
      const leave = () => own.abort(call.signal.reason);
      call.signal.addEventListener('abort', leave, { once: true });
      const patienceMs = Math.min(SOFT_MS, call.deadline.remainingMs());
      const slow = sleep(patienceMs, clock, timer.signal).then(() => 'SLOW' as const);
      return Promise.race([refresh({ ...call, signal: own.signal }, next), slow]).finally(() => {
        timer.abort();
        call.signal.removeEventListener('abort', leave);
      });
    },
  };
}

/** Why a stale entry may be served instead of a failure; null when it may not. */
function excuse(error: unknown): StaleReason | null {
  if (isOutage(error)) return 'OUTAGE';
  return error instanceof CodedError && error.code === 'RATE_LIMITED' ? 'QUOTA' : null;
}
