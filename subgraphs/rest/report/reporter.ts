import type { WatchCache } from '../../../schema/caches.js';
import type { Credential } from '../../../schema/operation.js';
import type { BreakerFigure, ScopeQuota, SourceFigures } from '../../../schema/source-figures.js';
import type { Clock } from '../ports/clock.js';
import type { RouteGroups } from '../resilience/route-groups.js';
import { createDriftCounter, type DriftCounter } from './drift-counter.js';
import { createQuotaBoard, type QuotaBoard } from './quota-board.js';
import { createRecentResponses, type RecentResponses } from './recent-responses.js';

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
