import type { Chance } from '../chance.js';
import { quotaHeaders } from './quota-headers.js';
import type { Scheduler } from './scheduler.js';
import { createServiceWindows } from './service-windows.js';
import type { FaultKind, Outage, World } from './world.js';

/** The proxy's bucket (work-study 4.2). */
const PROXY_PER_SECOND = 40;
const PROXY_BURST = 100;

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether its list is broken off in the middle. */
  readonly isCut?: boolean;
}

/** A call that the service refused because there had been too many. */
export interface RefusedCall {
  /** Name of the spent window; `proxy` for the proxy's pace. */
  readonly window: string;
  readonly atMs: number;
  /** Whether the response said when to retry. */
  readonly announced: boolean;
}

/** The parts of the toolkit's request that the service looks at. */
export interface Arrival {
  readonly key: string;
  readonly path: string;
  /** The fault that it meets. */
  readonly wrong: FaultKind | null;
}

/** The body of a response. */
export interface Reading {
  readonly kind: 'answer';
  readonly key: string;
  readonly path: string;
  readonly madeAtMs: number;
  readonly noStore?: boolean;
  /** Whether it is the body of an error response. */
  readonly failed?: boolean;
  /** Whether the list that it was in was broken off. */
  readonly isCut?: boolean;
}

export interface Service {
  /** The fault that a call to a route group meets now. */
  fault(group: number): FaultKind | null;
  /** Whether a route group has had any fault so far. */
  wasTroubled(group: number): boolean;
  /** From now on the service is gone. */
  goDown(): void;
  /** When the current window of a key ends; null if none is open. */
  windowEndsMs(key: string): number | null;
  /** Counts a call, and responds to it. */
  receive(arrival: Arrival): { readonly response: ServiceResponse; readonly refused: RefusedCall | null };
}

/**
 * The simulated service: it counts by the sandbox's rules, in a few processes behind a load balancer, and has faults.
 */
export function createService(world: World, scheduler: Scheduler, chance: Chance): Service {
  const traits = world.service;
  const windows = createServiceWindows({ traits, scheduler, chance });
  const bucket = { calls: 0, atMs: 0 };
  let down = false;

  function admittedByProxy(): boolean {
    if (!traits.proxy) return true;
    const left = Math.max(0, bucket.calls - ((scheduler.nowMs - bucket.atMs) * PROXY_PER_SECOND) / 1000);
    if (left > PROXY_BURST) return false;
    Object.assign(bucket, { calls: left + 1, atMs: scheduler.nowMs });
    return true;
  }

  function fault(group: number): FaultKind | null {
    const now = scheduler.nowMs;
    if (down) return 'refused';
    const active = world.outages.filter(
      (one) => isOf(one, group) && now >= one.atMs && now < one.atMs + one.forMs && chance.happens(one.share),
    );
    return active[0]?.kind ?? null;
  }

  return {
    fault,
    wasTroubled: (group) => down || world.outages.some((one) => isOf(one, group) && one.atMs <= scheduler.nowMs),
    goDown() {
      down = true;
    },
    windowEndsMs: windows.endMs,
    receive(arrival) {
      if (!admittedByProxy()) {
        const response = { status: 429, headers: HTML, body: '<h1>Too Many Requests</h1>' };
        return { response, refused: { window: 'proxy', atMs: scheduler.nowMs, announced: false } };
      }
      const failure = arrival.wrong === null ? undefined : FAILURES[arrival.wrong];
      if (failure === undefined || (traits.countsFailures && !failure.ofProxy)) return count(arrival, failure);
      return { response: failure, refused: null };
    },
  };

  function count({ key, path, wrong }: Arrival, failure: ServiceResponse | undefined): ReturnType<Service['receive']> {
    const atMs = scheduler.nowMs;
    const { number, used, endsMs } = windows.take(key);
    const headers = quotaHeaders(traits, { used, endsMs, nowMs: atMs, silent: chance.happens(traits.missing) });
    const announced: Reading = { kind: 'answer', key, path, madeAtMs: atMs };
    // A failure looks like a response too, so that caching it would be noticed.
    const failed = () => JSON.stringify({ ...announced, failed: true });
    if (used > traits.limit) {
      const says = headers['x-ratelimit-reset'] !== undefined;
      const refused = { window: `window ${number}`, atMs, announced: says };
      return { response: { status: 429, headers, body: failed() }, refused };
    }
    if (failure !== undefined) {
      const response = { status: failure.status, headers: { ...headers, ...failure.headers }, body: failed() };
      return { response, refused: null };
    }
    const noStore = chance.happens(0.05);
    const item = { ...announced, ...(noStore && { noStore }) };
    const body = JSON.stringify(path.includes('/list/') ? [item, item] : item);
    const more = { ...(noStore && { 'cache-control': 'no-store' }), ...(wrong === 'limit-0' && NO_CALLS) };
    return { response: { status: 200, headers: { ...headers, ...more }, body }, refused: null };
  }
}

/** A database of keys fails for all routes. */
function isOf({ group, kind }: Outage, of: number): boolean {
  return group === of || kind === 'key-database';
}

interface Failure extends ServiceResponse {
  /** Whether a proxy responds, and the service never sees the call. */
  readonly ofProxy: boolean;
}

const NO_CALLS = { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' };
const HTML = { 'content-type': 'text/html' };
const JSON_TYPE = { 'content-type': 'application/json' };
const NO_RESPONSE = { ofProxy: false, status: 0, headers: {}, body: '' };

const FAILURES: Partial<Record<FaultKind, Failure>> = {
  html: { ofProxy: true, status: 502, headers: HTML, body: '<h1>Bad Gateway</h1>' },
  'html-404': { ofProxy: true, status: 404, headers: HTML, body: '<h1>Not Found</h1>' },
  '500': { ofProxy: false, status: 500, headers: JSON_TYPE, body: '{"failed":true}' },
  '503': { ofProxy: false, status: 503, headers: { ...JSON_TYPE, 'retry-after': '2' }, body: '{"failed":true}' },
  // Authentication comes before the limiter.
  'key-database': { ofProxy: true, status: 401, headers: JSON_TYPE, body: '{"failed":true}' },
  'json-404': {
    ofProxy: true,
    status: 404,
    headers: JSON_TYPE,
    body: '{"message":"no Route matched with those values"}',
  },
  hanging: { ofProxy: false, status: 504, headers: JSON_TYPE, body: '{"failed":true}' },
  reset: NO_RESPONSE,
  silent: NO_RESPONSE,
};
