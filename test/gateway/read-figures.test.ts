import { expect, it } from 'vitest';
import { readFigures } from '../../gateway/remote/subgraph-state.js';
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';

/** Guards how the gateway reads a subgraph's figures. */

const quota = { scope: 'GET /search', limit: 60, remaining: 12, resetSeconds: 30 };
const FIGURES: SourceFigures = {
  quota,
  quotas: [quota],
  breaker: 'HALF_OPEN',
  cacheHitRate: 0.5,
  referenceAgeSeconds: 3600,
  drift: 2,
  driftPlaces: [{ place: 'Mission.title', count: 2 }],
  exportLoadedAt: '2026-11-21T03:00:00Z',
};

it('reads back what a subgraph told', () => {
  expect(readFigures(JSON.parse(JSON.stringify(FIGURES)))).toEqual(FIGURES);
});

it('leaves out what the source does not have, and keeps what it does not have yet', () => {
  expect(readFigures({})).toEqual(NO_FIGURES);
  expect(readFigures({ exportLoadedAt: null })).toEqual({ ...NO_FIGURES, exportLoadedAt: null });
});

it.each([
  ['quota', { quota: { ...quota, remaining: '12' } }],
  ['quotas', { quotas: [{ ...quota, scope: 1 }, null, 'GET'] }],
  ['breaker', { breaker: 'closed' }],
  ['cacheHitRate', { cacheHitRate: '50 %' }],
  ['drift', { drift: null }],
  ['driftPlaces', { driftPlaces: [{ place: 'Mission.title' }] }],
])('takes %s of another form for not known', (_name, source) => {
  expect(readFigures(source)).toEqual(NO_FIGURES);
});
