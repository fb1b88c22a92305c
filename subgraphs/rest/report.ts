import { createLru, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { CodedError } from '../../kernel/errors.js';
import type { Credential, SourceStatus } from '../../kernel/operation.js';
import type { UpstreamMode } from '../../kernel/services.js';
import type { BreakerFigure, DriftPlace, ScopeQuota, SourceFigures } from '../../kernel/source-figures.js';
import type { QuotaLeft, UpstreamCall } from '../../kernel/trace.js';
import type { RouteGroups } from './circuit-breaker.js';
import { isOutage } from './failures.js';
import type { Clock } from './ports/clock.js';
import { isOfKey, type WindowScope } from './quota/account.js';
import { mergeReports, type Reported, reportOf } from './quota/account-rules.js';

/** Collects what `sources` and `/readyz` report about one service. */
export interface Reporter {
  readonly quotas: QuotaBoard;
  readonly responses: RecentResponses;
  readonly drift: DriftCounter;
  /** The figures as seen by a caller with this key; callers without one spend the operator's quota. */
  figures(credential: Credential | null): SourceFigures;
}

interface ReporterOptions {
  readonly clock: Clock;
  readonly groups: RouteGroups;
  readonly operatorKey: Credential | null;
  readonly watchCache?: WatchCache | undefined;
}

/** A reporter without figures yet; the stages fill its parts. */
export function createReporter({ clock, groups, operatorKey, watchCache }: ReporterOptions): Reporter {
  const board = createQuotaBoard(clock, watchCache);
  const responses = createRecentResponses(clock);
  const drift = createDriftCounter();
  return {
    quotas: board,
    responses,
    drift,
    figures(credential) {
      const quotas = board.of((credential ?? operatorKey)?.fingerprint ?? null);
      return {
        quota: tightest(quotas),
        quotas,
        breaker: worstOf(groups),
        cacheHitRate: responses.hitRate(),
        referenceAgeSeconds: responses.referenceAgeSeconds(),
        drift: drift.total(),
        driftPlaces: drift.worst(),
      };
    },
  };
}

/** The quota with the smallest share left; among equals, the one whose window lasts longest. */
function tightest(quotas: readonly ScopeQuota[]): ScopeQuota | null {
  const share = ({ limit, remaining }: ScopeQuota) => (limit === 0 ? 0 : remaining / limit);
  return [...quotas].sort((a, b) => share(a) - share(b) || b.resetSeconds - a.resetSeconds)[0] ?? null;
}

function worstOf(groups: RouteGroups): BreakerFigure {
  const states = new Set(groups.all().map(({ breaker }) => breaker.state));
  if (states.has('open')) return 'OPEN';
  return states.has('half-open') ? 'HALF_OPEN' : 'CLOSED';
}

/** One response that a caller got. */
interface ServedResponse {
  /** Whether it came from the cache, fresh or stale. */
  readonly isHit: boolean;
  /** When the service sent it, in milliseconds since 1970; null unless it is reference data. */
  readonly referenceMs: number | null;
}

/** Figures of the last ten minutes. */
export interface RecentResponses {
  record(response: ServedResponse): void;
  /** Share of responses, from 0 to 1, that came from the cache; null without any. */
  hitRate(): number | null;
  /** Seconds since the service sent the oldest reference response served; null when none was served. */
  referenceAgeSeconds(): number | null;
}

interface Minute {
  readonly number: number;
  requests: number;
  hits: number;
  oldestReferenceMs: number | null;
}

const MINUTE_MS = 60_000;
/** Long enough for steady figures at tens of calls a minute, short enough to show an outage. */
const MINUTES = 10;

/** Figures that start empty, counted by the minute of the monotonic clock. */
function createRecentResponses(clock: Clock): RecentResponses {
  let minutes: Minute[] = [];

  function recent(): readonly Minute[] {
    const number = Math.floor(clock.monotonicMs() / MINUTE_MS);
    minutes = minutes.filter((minute) => minute.number > number - MINUTES);
    return minutes;
  }

  function thisMinute(): Minute {
    const number = Math.floor(clock.monotonicMs() / MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.number === number) return last;
    recent();
    const minute = { number, requests: 0, hits: 0, oldestReferenceMs: null };
    minutes.push(minute);
    return minute;
  }

  return {
    record({ isHit, referenceMs }) {
      const minute = thisMinute();
      minute.requests += 1;
      if (isHit) minute.hits += 1;
      if (referenceMs !== null)
        minute.oldestReferenceMs = Math.min(minute.oldestReferenceMs ?? referenceMs, referenceMs);
    },
    hitRate() {
      const requests = sum(recent(), (minute) => minute.requests);
      return requests === 0 ? null : sum(minutes, (minute) => minute.hits) / requests;
    },
    referenceAgeSeconds() {
      const times = recent().flatMap(({ oldestReferenceMs }) => oldestReferenceMs ?? []);
      return times.length === 0 ? null : Math.max(0, Math.floor((clock.wallMs() - Math.min(...times)) / 1000));
    },
  };
}

function sum(minutes: readonly Minute[], figure: (minute: Minute) => number): number {
  return minutes.reduce((total, minute) => total + figure(minute), 0);
}

/** What a service last reported about its quotas, for people to read. The quota ledger decides about spending. */
export interface QuotaBoard {
  /** Records what a response to a call with this key reported about a scope. */
  record(scope: WindowScope, fingerprint: string, quota: QuotaLeft): void;
  /**
   * Everything reported to this key, and about counters that belong to no key. A window that has ended is whole again:
   * its `remaining` is the limit, its `resetSeconds` 0.
   */
  of(fingerprint: string | null): readonly ScopeQuota[];
}

interface Quota extends Reported {
  readonly limit: number;
}

/** As many keys as the quota ledger has accounts. */
const MAX_KEYS = 10_000;
/** Bytes of heap for the counters of one key. */
const KEY_BYTES = 1000;
/** The holder of counters that belong to no key. */
const EVERYBODY = '';

/** An empty board, which holds the 10,000 most recently used keys. */
export function createQuotaBoard(clock: Clock, watchCache: WatchCache = unwatched): QuotaBoard {
  const byKey = createLru<Map<string, Quota>>(MAX_KEYS);
  watchCache('reported-quotas', () => KEY_BYTES * byKey.size);

  return {
    record(scope, fingerprint, quota) {
      const holder = isOfKey(scope, fingerprint) ? fingerprint : EVERYBODY;
      const label = scope.name.replaceAll(fingerprint, '').trim();
      const board = byKey.get(holder) ?? new Map<string, Quota>();
      byKey.set(holder, board);
      const report = mergeReports(board.get(label) ?? null, reportOf(quota, clock.monotonicMs()));
      board.set(label, { limit: quota.limit, ...report });
    },
    of(fingerprint) {
      const nowMs = clock.monotonicMs();
      const holders = fingerprint === null ? [EVERYBODY] : [fingerprint, EVERYBODY];
      return holders
        .flatMap((holder) => [...(byKey.get(holder) ?? [])])
        .map(([scope, quota]) => now(scope, quota, nowMs));
    },
  };
}

function now(scope: string, { limit, remaining, endsMs }: Quota, nowMs: number): ScopeQuota {
  if (nowMs >= endsMs) return { scope, limit, remaining: limit, resetSeconds: 0 };
  return { scope, limit, remaining, resetSeconds: Math.ceil((endsMs - nowMs) / 1000) };
}

/** Counts values that were not as documented since the process started. */
interface DriftCounter {
  count(place: string): void;
  total(): number;
  /** The places with the most such values, the worst first. */
  worst(): readonly DriftPlace[];
}

const SHOWN = 20;

/** Starts empty. Places are fields of our own shapes, so their number is bounded. */
function createDriftCounter(): DriftCounter {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    count(place) {
      total += 1;
      counts.set(place, (counts.get(place) ?? 0) + 1);
    },
    total: () => total,
    worst: () =>
      [...counts]
        .map(([place, count]) => ({ place, count }))
        .sort((a, b) => b.count - a.count)
        .slice(0, SHOWN),
  };
}

/** What calls reveal about a service's state. */
export interface Health {
  record(row: UpstreamCall, error: CodedError | null): void;
  /** Whether the service has just refused the operator's key; callers' own keys say nothing about that. */
  recordOperatorKey(refused: boolean): void;
  status(): SourceStatus;
}

/**
 * The state depends on the breakers of the service's routes, its last call, and its last verdict on the operator's key.
 * `isLocalFallback` returns whether quota is counted without the other replicas.
 */
export function createHealth(mode: UpstreamMode, groups: RouteGroups, isLocalFallback: () => boolean): Health {
  let lastFailed = false;
  let operatorRefused = false;

  function trouble(): Pick<SourceStatus, 'state' | 'detail'> | null {
    if (operatorRefused) return { state: 'OFF', detail: "it refuses the operator's key" };
    const all = groups.all();
    const open = all.filter(({ breaker }) => breaker.state === 'open').map(({ name }) => name);
    if (open.length > 0) {
      return { state: open.length === all.length ? 'DOWN' : 'DEGRADED', detail: `not available: ${open.join(', ')}` };
    }
    const halfOpen = all.filter(({ breaker }) => breaker.state === 'half-open').map(({ name }) => name);
    if (halfOpen.length > 0) return { state: 'DEGRADED', detail: `recovering: ${halfOpen.join(', ')}` };
    if (lastFailed) return { state: 'DEGRADED', detail: 'its last call failed' };
    return isLocalFallback()
      ? { state: 'UP', detail: 'its quota is on its local fallback: the shared store is away' }
      : null;
  }

  return {
    record({ sent = 0 }, error) {
      if (sent === 0) return;
      lastFailed = isOutage(error);
    },
    recordOperatorKey(refused) {
      operatorRefused = refused;
    },
    status() {
      if (mode === 'off') return { state: 'OFF', upstream: mode };
      return { state: 'UP', ...trouble(), upstream: mode };
    },
  };
}
