import type { Credential } from '../../../schema/operation.js';
import type { BreakerFigure, ScopeQuota, SourceFigures } from '../../../schema/source-figures.js';
import type { Clock } from '../ports/clock.js';
import type { RouteGroups } from '../resilience/route-groups.js';
import { createDriftCounter, type DriftCounter } from './drift-counter.js';
import { createQuotaBoard, type QuotaBoard } from './quota-board.js';
import { createRecentAnswers, type RecentAnswers } from './recent-answers.js';

/** Collects what `sources` and `/readyz` report of one service. */
export interface Reporter {
  readonly quotas: QuotaBoard;
  readonly answers: RecentAnswers;
  readonly drift: DriftCounter;
  /** The figures as a caller with this key sees them: without one they spend the operator's quota. */
  figures(credential: Credential | null): SourceFigures;
}

interface ReporterOptions {
  readonly clock: Clock;
  readonly groups: RouteGroups;
  readonly operatorKey: Credential | null;
}

/** A reporter without figures; the stages fill in the parts that it offers. */
export function createReporter({ clock, groups, operatorKey }: ReporterOptions): Reporter {
  const board = createQuotaBoard(clock);
  const answers = createRecentAnswers(clock);
  const drift = createDriftCounter();
  return {
    quotas: board,
    answers,
    drift,
    figures(credential) {
      const quotas = board.of((credential ?? operatorKey)?.fingerprint ?? null);
      return {
        quota: tightest(quotas),
        quotas,
        breaker: worstOf(groups),
        cacheHitRate: answers.hitRate(),
        referenceAgeSeconds: answers.referenceAgeSeconds(),
        drift: drift.total(),
        driftPlaces: drift.worst(),
      };
    },
  };
}

/** The one of which the smallest share is left; of equals, the one that lasts longest. */
function tightest(quotas: readonly ScopeQuota[]): ScopeQuota | null {
  const share = ({ limit, remaining }: ScopeQuota) => (limit === 0 ? 0 : remaining / limit);
  return [...quotas].sort((a, b) => share(a) - share(b) || b.resetSeconds - a.resetSeconds)[0] ?? null;
}

function worstOf(groups: RouteGroups): BreakerFigure {
  const states = new Set(groups.all().map(({ breaker }) => breaker.state));
  if (states.has('open')) return 'OPEN';
  return states.has('half-open') ? 'HALF_OPEN' : 'CLOSED';
}
