import type { Chance } from './chance.js';
import type { Scheduler } from './scheduler.js';
import { type FaultKind, SAFETY_MS, type ServiceTraits, type World } from './world.js';

const WINDOW_MS = 60_000;
/** The proxy's bucket (work-study 4.2). */
const PROXY_PER_SECOND = 40;
const PROXY_BURST = 100;

/** A 1970 of its own, so that wall clocks are far from monotonic ones. */
export const EPOCH_MS = 1_700_000_000_000;

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A call that the service refused because there were too many. */
export interface RefusedCall {
  /** Names the one window that was spent; `proxy` for the proxy's pace. */
  readonly window: string;
  readonly atMs: number;
  /** Whether the answer said when to come back. */
  readonly told: boolean;
}

/** What one request of the toolkit is, as far as the service looks. */
export interface Arrival {
  readonly group: number;
  readonly key: string;
  readonly path: string;
}

export interface Service {
  /** What is wrong with a group of routes at this moment. */
  fault(group: number): FaultKind | null;
  /** Counts a call and answers it. */
  receive(arrival: Arrival): { readonly answer: ServiceAnswer; readonly refused: RefusedCall | null };
}

/** The simulated service: the sandbox's rules of counting, in a few processes behind a balancer, and what goes wrong. */
export function createService(world: World, scheduler: Scheduler, chance: Chance): Service {
  const traits = world.service;
  const windows = new Map<string, { used: number; number: number; endsMs: number }>();
  const bucket = { calls: 0, atMs: 0 };
  let lastNumber = 0;
  let strangers = traits.stranger;
  const leave = () => {
    strangers = 0;
  };
  scheduler.after(SAFETY_MS, { name: 'the stranger leaves', of: null, run: leave });

  function windowOf(scope: string) {
    const known = windows.get(scope);
    if (known !== undefined && known.endsMs + traits.slackMs > scheduler.nowMs) return known;
    lastNumber += 1;
    const used = Math.floor(traits.limit * strangers * chance.next() * 2);
    const window = { used, number: lastNumber, endsMs: scheduler.nowMs + WINDOW_MS };
    windows.set(scope, window);
    return window;
  }

  function admittedByProxy(): boolean {
    if (!traits.proxy) return true;
    const left = Math.max(0, bucket.calls - ((scheduler.nowMs - bucket.atMs) * PROXY_PER_SECOND) / 1000);
    if (left > PROXY_BURST) return false;
    Object.assign(bucket, { calls: left + 1, atMs: scheduler.nowMs });
    return true;
  }

  function fault(group: number): FaultKind | null {
    const now = scheduler.nowMs;
    const active = world.outages.find((one) => one.group === group && now >= one.atMs && now < one.atMs + one.forMs);
    return active === undefined ? null : active.kind;
  }

  return {
    fault,
    receive({ group, key, path }) {
      const atMs = scheduler.nowMs;
      if (!admittedByProxy()) {
        const answer = { status: 429, headers: htmlHeaders(), body: '<h1>Too Many Requests</h1>' };
        return { answer, refused: { window: 'proxy', atMs, told: false } };
      }
      const wrong = fault(group);
      if (wrong === 'html')
        return { answer: { status: 502, headers: htmlHeaders(), body: '<h1>Bad</h1>' }, refused: null };
      if (wrong === 'html-404') {
        return { answer: { status: 404, headers: htmlHeaders(), body: '<h1>Not Found</h1>' }, refused: null };
      }
      const process = chance.int(1, traits.processes);
      const window = windowOf(`${process} ${key}`);
      window.used += 1;
      const headers = headersOf(traits, { ...window, nowMs: atMs, silent: chance.happens(traits.missing) });
      if (window.used > traits.limit) {
        const answer = { status: 429, headers, body: '{"statusCode":429}' };
        const told = headers['x-ratelimit-reset'] !== undefined;
        return { answer, refused: { window: `window ${window.number}`, atMs, told } };
      }
      if (wrong === '500') return { answer: { status: 500, headers, body: '{"statusCode":500}' }, refused: null };
      if (wrong === '503') {
        return { answer: { status: 503, headers: { ...headers, 'retry-after': '2' }, body: '{}' }, refused: null };
      }
      const noStore = chance.happens(0.05);
      const body = JSON.stringify({ kind: 'answer', key, path, madeAtMs: atMs, noStore });
      return {
        answer: { status: 200, headers: noStore ? { ...headers, 'cache-control': 'no-store' } : headers, body },
        refused: null,
      };
    },
  };
}

interface Told {
  readonly used: number;
  readonly endsMs: number;
  readonly nowMs: number;
  readonly silent: boolean;
}

function headersOf(traits: ServiceTraits, { used, endsMs, nowMs, silent }: Told): Record<string, string> {
  const wallMs = EPOCH_MS + nowMs + traits.skewMs;
  const date = { date: new Date(wallMs).toUTCString(), 'content-type': 'application/json' };
  if (silent || traits.reset === 'none') return date;
  // A window that is swept late says for that time that it is about to end.
  const leftMs = Math.max(0, endsMs - nowMs);
  // A limiter that is swept late tells the whole second after its end.
  const seconds = Math[traits.slackMs > 0 ? 'ceil' : traits.rounding];
  const reset = traits.reset === 'epoch' ? seconds((wallMs + leftMs) / 1000) : seconds(leftMs / 1000);
  return {
    ...date,
    'x-ratelimit-limit': String(traits.limit),
    'x-ratelimit-remaining': String(Math.max(0, traits.limit - used)),
    'x-ratelimit-reset': String(reset),
    ...(used > traits.limit && { 'retry-after': String(seconds(leftMs / 1000)) }),
  };
}

function htmlHeaders(): Record<string, string> {
  return { 'content-type': 'text/html' };
}
