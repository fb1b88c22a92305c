import { readdirSync } from 'node:fs';

/** Rooms in subgraphs/ that all subgraphs share; every other folder there is one subgraph. */
const SHARED = ['codes', 'graph', 'rest'];
const SUBGRAPHS = readdirSync(new URL('../../subgraphs/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => name)
  .sort();

const ALL = [
  ...[
    'test',
    'wiring',
    'sandbox',
    'gateway',
    'subgraphs',
    'analyst',
    'rows',
    'runtime',
    'database',
    'kernel',
    'schema',
  ],
  'main.ts',
];

/** The rule for one subgraph, which must not import the others. */
const subgraph = (name) => ({
  includes: [`subgraphs/${name}/**`],
  forbidden: ['test', 'wiring', 'sandbox', 'gateway', ...SUBGRAPHS.filter((other) => other !== name), 'main.ts'],
  message: 'A subgraph imports no other subgraph, gateway or sandbox.',
});

const gateway = {
  forbidden: ['test', 'wiring', 'sandbox', 'subgraphs', 'main.ts'],
  message: 'The gateway imports no subgraph.',
};

/** Which rooms each room must not import, and whether it may speak HTTP. If two match a file, the later one wins. */
export const ROOMS = [
  {
    includes: ['main.ts', 'wiring/**'],
    forbidden: ['test'],
    message: 'main.ts and wiring/ wire every room but the tests.',
  },
  {
    includes: ['kernel/**', 'schema/**'],
    forbidden: [
      'test',
      'wiring',
      'sandbox',
      'gateway',
      'analyst',
      'rows',
      'subgraphs',
      'runtime',
      'database',
      'main.ts',
    ],
    message: 'kernel/ and schema/ import no other room.',
  },
  {
    includes: ['database/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'analyst', 'rows', 'subgraphs', 'runtime', 'main.ts'],
    message: 'database/ imports no room but kernel/.',
  },
  {
    includes: ['rows/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'analyst', 'subgraphs', 'runtime', 'database', 'main.ts'],
    message: 'rows/ imports no room but kernel/: it runs in browsers too.',
  },
  {
    includes: ['analyst/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'subgraphs', 'runtime', 'database', 'main.ts'],
    message: 'The analyst page imports no room but rows/ and kernel/.',
  },
  {
    includes: ['runtime/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'analyst', 'rows', 'subgraphs', 'main.ts'],
    message: 'runtime/ imports no room but kernel/ and database/.',
    speaksHttp: true,
  },
  {
    includes: ['subgraphs/codes/**'],
    forbidden: [
      'test',
      'wiring',
      'sandbox',
      'gateway',
      'runtime',
      'database',
      'graph',
      'rest',
      ...SUBGRAPHS,
      'main.ts',
    ],
    message: 'codes/ imports no room but kernel/.',
  },
  {
    includes: ['subgraphs/graph/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'rest', ...SUBGRAPHS, 'main.ts'],
    message: 'graph/ is shared by all subgraphs and knows none.',
  },
  {
    includes: ['subgraphs/rest/**'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', ...SUBGRAPHS, 'graph', 'codes', 'main.ts'],
    message: 'rest/ knows HTTP, never which service.',
    speaksHttp: true,
  },
  ...SUBGRAPHS.map(subgraph),
  {
    includes: ['subgraphs/registry.ts'],
    forbidden: ['test', 'wiring', 'sandbox', 'gateway', 'main.ts'],
    message: 'The registry wires subgraphs, and knows neither gateway nor sandbox.',
  },
  { includes: ['gateway/**'], ...gateway },
  {
    includes: [
      'gateway/remote/http-subgraph.ts',
      'gateway/remote/subgraph-state.ts',
      'gateway/endpoint/fast-path.ts',
      'gateway/endpoint/listener.ts',
      'gateway/callers/connection-guard.ts',
    ],
    ...gateway,
    speaksHttp: true,
  },
  {
    includes: ['sandbox/**'],
    forbidden: ALL.filter((room) => room !== 'sandbox'),
    message: 'The sandbox imports no product code.',
    speaksHttp: true,
  },
  {
    includes: ['examples/**'],
    forbidden: ALL,
    message: 'An example stands alone: it is copied elsewhere.',
  },
];
