import type { CodedError } from '../../kernel/errors.js';
import type { SourceStatus } from '../../kernel/operation.js';
import type { UpstreamMode } from '../../kernel/services.js';
import type { BreakerFigure, ScopeQuota, SourceFigures } from '../../kernel/source-figures.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { endInWords } from '../../runtime/credentials/key-end.js';
import type { RouteGroup, RouteGroups } from './circuit-breaker.js';
import { BROKEN_OFF, isOutage } from './failures.js';
import type { KeyStates } from './keys.js';
import type { Clock } from './ports/ports.js';

/** Most places of drift that are reported. */
const SHOWN_PLACES = 20;

/** Collects what `sources` and `/readyz` report about one service. */
export class Reporter {
  readonly responses: RecentResponses;
  private readonly groups: RouteGroups;
  /** Values that were not as documented. Places are fields of our own shapes, so their number is bounded. */
  private readonly drift = new Map<string, number>();

  constructor(clock: Clock, groups: RouteGroups) {
    this.responses = new RecentResponses(clock);
    this.groups = groups;
  }

  countDrift(place: string): void {
    this.drift.set(place, (this.drift.get(place) ?? 0) + 1);
  }

  /** The figures as seen by a caller with these quotas. */
  figures(quotas: readonly ScopeQuota[]): SourceFigures {
    const places = [...this.drift].map(([place, count]) => ({ place, count })).sort((a, b) => b.count - a.count);
    return {
      quota: tightest(quotas),
      quotas,
      breaker: worstOf(this.groups),
      cacheHitRate: this.responses.hitRate(),
      referenceAgeSeconds: this.responses.referenceAgeSeconds(),
      drift: places.reduce((total, { count }) => total + count, 0),
      driftPlaces: places.slice(0, SHOWN_PLACES),
    };
  }
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
  requests: number;
  hits: number;
  /** When the service sent the oldest reference data; infinite without any. */
  oldestMs: number;
}

const MINUTE_MS = 60_000;
/** Long enough for steady figures at tens of calls a minute, short enough to show an outage. */
const MINUTES = 10;

/** Figures of the last ten minutes, counted by the minute of the monotonic clock. */
class RecentResponses {
  private readonly clock: Clock;
  private readonly minutes = new Map<number, Minute>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Counts a response that a caller got: whether it came from the cache, fresh or stale, and when the service sent it, in
   * milliseconds since 1970; null unless it is reference data.
   */
  record({ isHit, referenceMs }: { readonly isHit: boolean; readonly referenceMs: number | null }): void {
    this.recent();
    const number = Math.floor(this.clock.monotonicMs() / MINUTE_MS);
    const minute = this.minutes.get(number) ?? { requests: 0, hits: 0, oldestMs: Number.POSITIVE_INFINITY };
    this.minutes.set(number, minute);
    minute.requests += 1;
    if (isHit) minute.hits += 1;
    if (referenceMs !== null) minute.oldestMs = Math.min(minute.oldestMs, referenceMs);
  }

  /** Share of responses, from 0 to 1, that came from the cache; null without any. */
  hitRate(): number | null {
    let [requests, hits] = [0, 0];
    for (const minute of this.recent()) {
      requests += minute.requests;
      hits += minute.hits;
    }
    return requests === 0 ? null : hits / requests;
  }

  /** Seconds since the service sent the oldest reference response served; null when none was served. */
  referenceAgeSeconds(): number | null {
    const oldestMs = Math.min(...this.recent().map((minute) => minute.oldestMs));
    return Number.isFinite(oldestMs) ? Math.max(0, Math.floor((this.clock.wallMs() - oldestMs) / 1000)) : null;
  }

  private recent(): Minute[] {
    const first = Math.floor(this.clock.monotonicMs() / MINUTE_MS) - MINUTES + 1;
    for (const number of this.minutes.keys()) if (number < first) this.minutes.delete(number);
    return [...this.minutes.values()];
  }
}

interface HealthOf {
  readonly mode: UpstreamMode;
  readonly keyEndsMs: number | null;
  readonly clock: Clock;
  readonly groups: RouteGroups;
  /** What the service last said about the operator's key; callers' own keys say nothing about that. */
  verdictOnKey(): ReturnType<KeyStates['verdictOn']>;
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
    const verdict = this.of.verdictOnKey();
    if (verdict === 'refused') return { state: 'OFF', detail: "it refuses the operator's key" };
    if (verdict === 'doubtful')
      return {
        state: 'DEGRADED',
        detail: "it refuses the operator's key, which it accepted shortly before: perhaps an outage",
      };
    const { all } = this.of.groups;
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
