/** The directions of imports: for each room, or folder of subgraphs/, the rooms that it may import beside itself. */
const MAY_IMPORT = {
  kernel: [],
  schema: ['kernel', 'subgraphs'],
  database: ['kernel'],
  rows: ['kernel'],
  analyst: ['rows', 'kernel'],
  runtime: ['kernel', 'database'],
  'subgraphs/codes': ['kernel'],
  'subgraphs/graph': ['kernel', 'subgraphs/codes', 'runtime'],
  'subgraphs/rest': ['kernel', 'runtime', 'database'],
  gateway: ['kernel', 'schema', 'database', 'rows', 'analyst', 'runtime'],
  sandbox: [],
  examples: [],
};

/** Where HTTP is spoken. */
const SPEAKS_HTTP = [
  '^(runtime|subgraphs/rest|sandbox|scripts)/',
  '^gateway/(remote/http-subgraph|endpoint/(fast-path|listener)|callers/connection-guard)[.]ts$',
];

const below = (rooms) => rooms.map((room) => `^${room}/`);

export default {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(([room, others]) => ({
      name: room.replace('/', '-'),
      comment: `${room}/ imports no room but: ${others.join(', ') || 'none'}.`,
      severity: 'error',
      from: { path: `^${room}/` },
      to: { dependencyTypes: ['local'], pathNot: below([room, ...others]) },
    })),
    {
      name: 'service',
      comment: 'A subgraph imports what all subgraphs share, and no other subgraph, gateway or sandbox.',
      severity: 'error',
      from: { path: '^subgraphs/([a-z-]+)/', pathNot: below(['subgraphs/(codes|graph|rest)']) },
      to: {
        dependencyTypes: ['local'],
        pathNot: below(['subgraphs/($1|codes|graph|rest)', 'kernel', 'rows', 'runtime', 'database']),
      },
    },
    {
      name: 'no-tests',
      comment: 'The product imports no test, and nothing imports main.ts.',
      severity: 'error',
      from: { pathNot: '^(test|scripts)/' },
      to: { path: '^(test/|test-long/|bench/|main[.]ts$)' },
    },
    {
      name: 'subgraphs-alone',
      comment: 'The registry wires subgraphs, and knows neither gateway nor sandbox.',
      severity: 'error',
      from: { path: '^subgraphs/' },
      to: { path: below(['wiring', 'gateway', 'sandbox']) },
    },
    {
      name: 'http',
      comment: 'HTTP is spoken in subgraphs/rest, the listeners, the HTTP data source and the sandbox only.',
      severity: 'error',
      from: { pathNot: SPEAKS_HTTP },
      to: { path: '^(node_modules/undici/|undici$|(node:)?https?$)' },
    },
    {
      name: 'environment',
      comment: 'Only runtime/configuration/configuration.ts reads the environment.',
      severity: 'error',
      from: { pathNot: '^(sandbox|scripts)/' },
      to: { path: '^(node:)?process$' },
    },
    {
      name: 'folder-circle',
      comment: 'Folders import each other in one direction.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Generated types tie a whole subgraph together.
    exclude: { path: '__generated__|[.]tsx$' },
  },
};
