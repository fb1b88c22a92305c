import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';

/**
 * The figures that a subgraph in another process reports at `/readyz`. Missing or malformed ones, as from another
 * version of the program, are unknown.
 */
export function readFigures(source: Readonly<Record<string, unknown>>): SourceFigures {
  const { breaker, exportLoadedAt } = source;
  return {
    ...NO_FIGURES,
    quota: isQuota(source['quota']) ? source['quota'] : null,
    quotas: listOf(source['quotas'], isQuota),
    breaker: breaker === 'CLOSED' || breaker === 'OPEN' || breaker === 'HALF_OPEN' ? breaker : null,
    cacheHitRate: numberOf(source['cacheHitRate']),
    referenceAgeSeconds: numberOf(source['referenceAgeSeconds']),
    drift: numberOf(source['drift']),
    driftPlaces: listOf(source['driftPlaces'], isDriftPlace),
    ...((typeof exportLoadedAt === 'string' || exportLoadedAt === null) && { exportLoadedAt }),
  };
}

type Quota = NonNullable<SourceFigures['quota']>;
type DriftPlace = SourceFigures['driftPlaces'][number];

function isQuota(value: unknown): value is Quota {
  const { scope, limit, remaining, resetSeconds } = fieldsOf(value);
  return typeof scope === 'string' && [limit, remaining, resetSeconds].every((figure) => numberOf(figure) !== null);
}

function isDriftPlace(value: unknown): value is DriftPlace {
  const { place, count } = fieldsOf(value);
  return typeof place === 'string' && numberOf(count) !== null;
}

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T): readonly T[] {
  return Array.isArray(value) ? value.filter(isItem) : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
