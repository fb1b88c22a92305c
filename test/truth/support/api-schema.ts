import { readFileSync } from 'node:fs';
import { buildApi } from '../../../gateway/graph/graph-files.js';

/** The schema that callers see, as it is written down. */
export const API_SCHEMA = buildApi(readFileSync(new URL('../../../schema/api.graphql', import.meta.url), 'utf8'));

const OF_SOURCES = [
  'state',
  'detail',
  'quota',
  'quotas',
  'breaker',
  'cacheHitRate',
  'referenceAgeSeconds',
  'drift',
  'driftPlaces',
];

/**
 * Fields that are true for a moment only: no two responses to the same query need to agree on them. Cursors of the export
 * hold the time from which on its offers are listed.
 */
export const VOLATILE: ReadonlySet<string> = new Set([
  ...['Source', 'WorkStudySource', 'WasteIdentitySource', 'VolunteeringSource'].flatMap((type) =>
    OF_SOURCES.map((field) => `${type}.${field}`),
  ),
  ...['Offer', 'Recruiter'].flatMap((type) => [`Exported${type}Edge.cursor`, `Exported${type}Connection.pageInfo`]),
]);
