/** Started first, because they take longest. The first two measure their own heap, which is small only at the start. */
export const FIRST = [
  ...['bounds/caches', 'bounds/strangers', 'bounds/fuzz', 'scenarios/examples', 'scenarios/memory/generated'],
  ...['truth/generated', 'truth/hostile', 'truth/introspection'],
  ...['scenarios/rows-of-all-pages', 'bounds/hostile', 'sim/sim'],
];

/**
 * Files that wait for a browser or for time to pass, the longest first. Started among the others, they leave no core
 * idle.
 */
export const WAITING = [
  ...[
    'scenarios/price-table',
    'scenarios/organizations-by-department',
    'reliability/provoked',
    'reliability/burst',
    'program/log',
  ],
  ...['browser/response', 'browser/variables', 'browser/views', 'reliability/faults', 'browser/errors'],
  ...['browser/comfort', 'browser/large-responses', 'browser/request-line'],
  ...['scenarios/sources', 'scenarios/export', 'browser/requests', 'lifecycle/half-sent', 'browser/french'],
  ...['drift/drift', 'contract/rules-work-study-certifications', 'reliability/stale', 'browser/paging'],
  ...['reliability/outage', 'browser/tasks', 'reliability/refusals', 'browser/saved', 'scenarios/sources-down'],
  ...['browser/examples', 'frontends/semantic-non-null', 'browser/map'],
  ...['reliability/export-replicas', 'browser/sources', 'house/supply-chain', 'browser/load', 'scenarios/deadline'],
  ...['program/check-config', 'program/telemetry', 'gateway/time', 'reliability/pace', 'scenarios/calls'],
  ...['contract/rules-work-study-limits', 'runtime/redis-lease'],
];
