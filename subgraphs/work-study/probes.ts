import type { Probe } from '../rest/call/dialect.js';

const ONE_ROW = [
  ['page_size', '1'],
  ['page_index', '0'],
] as const;

/** For each group of routes, the smallest request that needs its backend to be up. */
export const workStudyProbes: Readonly<Record<string, Probe>> = {
  '/job/v1': get('/job/v1/search', [
    ['romes', 'M1805'],
    ['latitude', '48.85'],
    ['longitude', '2.35'],
    ['radius', '1'],
  ]),
  '/formation/v1': get('/formation/v1/search', ONE_ROW),
  '/organisme/v1': get('/organisme/v1/export', ONE_ROW),
  '/certification/v1': get('/certification/v1', [['identifiant.rncp', 'RNCP35185']]),
  '/geographie/v1': get('/geographie/v1/departement', []),
};

function get(path: string, query: readonly (readonly [string, string])[]): Probe {
  return { method: 'GET', template: path, path, query };
}
