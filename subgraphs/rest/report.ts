import type { CodedError } from '../../kernel/errors.js';
import type { Credential } from '../../kernel/operation.js';
import type { UpstreamMode } from '../../kernel/services.js';
import type { BreakerFigure, ScopeQuota, SourceFigures, SourceStatus } from '../../kernel/source-figures.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { endInWords } from '../../runtime/credentials/key-end.js';
import type { RouteGroup, RouteGroups } from './circuit-breaker.js';
import { BROKEN_OFF, isOutage } from './failures.js';
import type { Clock } from './ports/ports.js';

/** Most places of drift that are reported. */
const SHOWN_PLACES = 20;

/** Collects what `sources` and `/readyz` report about one service. */
export type Reporter = ReturnType<typeof createReporter>;

/** Creates the reporter of a service of which nothing has been seen. */
export function createReporter(clock: Clock, groups: RouteGroups) {
  const responses = createRecentResponses(clock);
  /** Values that were not as documented. Places are fields of our own shapes, so their number is bounded. */
  const drift = new Map<string, number>();
  return {
    /** Counts a response that a caller got. */
    countResponse: responses.count,
    countDrift(place: string): void {
      drift.set(place, (drift.get(place) ?? 0) + 1);
    },
    /** The figures as seen by a caller with these quotas. */
    figures(quotas: readonly ScopeQuota[]): SourceFigures {
      const places = [...drift].map(([place, count]) => ({ place, count })).sort((a, b) => b.count - a.count);
      return {
        quota: tightest(quotas),
        quotas,
        breaker: worstOf(groups),
        ...responses.figures(),
        drift: places.reduce((total, { count }) => total + count, 0),
        driftPlaces: places.slice(0, SHOWN_PLACES),
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
  const states = new Set([...groups.all.values()].map(({ state }) => state));
  if (states.has('open')) return 'OPEN';
  return states.has('half-open') ? 'HALF_OPEN' : 'CLOSED';
}

interface Minute {
  readonly number: number;
  requests: number;
  hits: number;
  /** When the service sent the oldest reference data; infinite without any. */
  oldestMs: number;
}

const MINUTE_MS = 60_000;
/** Long enough for steady figures at tens of calls a minute, short enough to show an outage. */
const MINUTES = 10;

/** Figures of the last ten minutes, counted by the minute of the monotonic clock. */
function createRecentResponses(clock: Clock) {
  /** The latest last. */
  let minutes: Minute[] = [];

  /** The minute that it is now, begun if need be; older ones than ten are dropped. */
  function now(): Minute {
    const number = Math.floor(clock.monotonicMs() / MINUTE_MS);
    const latest = minutes.at(-1);
    if (latest?.number === number) return latest;
    const minute = { number, requests: 0, hits: 0, oldestMs: Number.POSITIVE_INFINITY };
    minutes = [...minutes.filter((known) => known.number > number - MINUTES), minute];
    return minute;
  }

  return {
    /**
     * Counts whether a response came from the cache, fresh or stale, and when the service sent it, in milliseconds since
     * 1970; null unless it is reference data.
     */
    count({ isHit, referenceMs }: { readonly isHit: boolean; readonly referenceMs: number | null }): void {
      const minute = now();
      minute.requests += 1;
      if (isHit) minute.hits += 1;
      if (referenceMs !== null) minute.oldestMs = Math.min(minute.oldestMs, referenceMs);
    },
    figures(): Pick<SourceFigures, 'cacheHitRate' | 'referenceAgeSeconds'> {
      now();
      let [requests, hits, oldestMs] = [0, 0, Number.POSITIVE_INFINITY];
      for (const minute of minutes) {
        requests += minute.requests;
        hits += minute.hits;
        oldestMs = Math.min(oldestMs, minute.oldestMs);
      }
      const ageSeconds = Math.max(0, Math.floor((clock.wallMs() - oldestMs) / 1000));
      return {
        cacheHitRate: requests === 0 ? null : hits / requests,
        referenceAgeSeconds: Number.isFinite(oldestMs) ? ageSeconds : null,
      };
    },
  };
}

interface HealthOf {
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
  readonly keyEndsMs: number | null;
  readonly clock: Clock;
  readonly groups: RouteGroups;
  /** Whether quota is counted without the other replicas. */
  isLocalFallback(): boolean;
}

/** What calls reveal about a service's state: from its breakers, its last call, and its verdict on the operator's key. */
export class Health {
  private readonly of: HealthOf;
  private lastFailed = false;
  private blindness: string | null = null;

  constructor(of: HealthOf) {
    this.of = of;
  }

  /** Whether the operator's key has ended, as it says itself. */
  hasKeyEnded(): boolean {
    const { keyEndsMs, clock } = this.of;
    return keyEndsMs !== null && keyEndsMs <= clock.wallMs();
  }

  record({ sent = 0, path }: UpstreamCall, error: CodedError | null): void {
    // A record that cannot be read says nothing about the service.
    const isOfRecord =
      error?.cause === BROKEN_OFF || (path.includes('{') && error?.code === 'UPSTREAM_INVALID_RESPONSE');
    if (sent > 0 && !isOfRecord) this.lastFailed = isOutage(error);
  }

  /** Why the service shows the operator's key nothing, in words; null once it shows something. */
  recordBlindness(blindness: string | null): void {
    this.blindness = blindness;
  }

  status(): SourceStatus {
    const { mode, keyEndsMs, clock } = this.of;
    if (mode === 'off') return { state: 'OFF', upstream: mode };
    const { state, detail }: Pick<SourceStatus, 'state' | 'detail'> = this.trouble() ?? { state: 'UP' };
    const end = keyEndsMs === null ? null : endInWords(keyEndsMs, clock.wallMs());
    const details = [detail, end && `the operator's key ${end}`].filter(Boolean);
    return {
      state: this.hasKeyEnded() ? 'OFF' : state,
      ...(details.length > 0 && { detail: details.join('; ') }),
      upstream: mode,
    };
  }

  private trouble(): Pick<SourceStatus, 'state' | 'detail'> | null {
    const { groups, operatorKey } = this.of;
    // What it says of callers' own keys says nothing about that.
    const verdict = groups.keys.verdictOn(operatorKey);
    if (verdict === 'refused') return { state: 'OFF', detail: "it refuses the operator's key" };
    if (verdict === 'doubtful')
      return {
        state: 'DEGRADED',
        detail: "it refuses the operator's key, which it accepted shortly before: perhaps an outage",
      };
    const { all } = groups;
    const named = (state: RouteGroup['state']) =>
      [...all].filter(([, group]) => group.state === state).map(([name]) => name);
    const open = named('open');
    if (open.length > 0)
      return { state: open.length === all.size ? 'DOWN' : 'DEGRADED', detail: `not available: ${open.join(', ')}` };
    const halfOpen = named('half-open');
    if (halfOpen.length > 0) return { state: 'DEGRADED', detail: `recovering: ${halfOpen.join(', ')}` };
    if (this.blindness !== null) return { state: 'DEGRADED', detail: this.blindness };
    if (this.lastFailed) return { state: 'DEGRADED', detail: 'its last call failed' };
    if (!this.of.isLocalFallback()) return null;
    return { state: 'UP', detail: 'its quota is on its local fallback: the shared store is away' };
  }
}
