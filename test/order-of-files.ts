/** Begun first, since they take longest. The first two measure the heap of their own processes, which is small only then. */
export const FIRST = [
  ...[
    'bounds/caches',
    'bounds/strangers',
    'bounds/hostile',
    'bounds/fuzz',
    'reliability/provoked',
    'scenarios/examples',
  ],
  ...['scenarios/price-table', 'sim/sim', 'scenarios/direct/generated'],
];

/** They wait for a browser, or for time to pass, the first ones longest. Begun among the others, they leave no core idle. */
export const WAITING = [
  ...['reliability/faults', 'browser/response', 'scenarios/sources', 'browser/large-responses', 'reliability/burst'],
  ...['browser/comfort', 'frontends/semantic-non-null', 'browser/french', 'browser/requests'],
  ...['contract/rules-work-study-certifications', 'browser/errors', 'scenarios/export', 'browser/paging'],
  ...['browser/tasks', 'reliability/refusals', 'browser/saved', 'scenarios/sources-down'],
  ...['browser/examples', 'reliability/stale', 'browser/variables', 'browser/map'],
  ...['reliability/export-replicas', 'browser/sources', 'house/supply-chain', 'browser/load', 'scenarios/deadline'],
  ...['program/check-config', 'program/telemetry', 'gateway/time', 'reliability/pace', 'scenarios/calls'],
  ...['contract/rules-work-study-limits', 'runtime/redis-lease'],
];
