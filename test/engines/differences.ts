/** The shape of stacks in which Hive Gateway takes the place of our gateway. */
export const HIVE = 'under Hive Gateway';

/** Something that our gateway does and Hive Gateway does not, over the same subgraphs. */
interface Difference {
  /** Its row in the table of docs/scaling.md. */
  readonly what: string;
  readonly instead: string;
  /** Scenarios that fail because of it: a file, or a file and the beginning of a title. */
  readonly scenarios: readonly string[];
}

/** The rows of the table, with the scenarios that prove each. */
export const DIFFERENCES: readonly Difference[] = [
  {
    what: 'aliases that have the name of a field that a join needs',
    instead: 'the query fails: `Fields "id" conflict`',
    scenarios: [
      'planner-traps.test.ts: joins by the real city',
      'planner-traps.test.ts: answers the title when an alias',
      'planner-traps.test.ts: joins when an object',
      'planner-traps.test.ts: finds such aliases',
    ],
  },
  {
    what: 'the code of an error on a field that a join needs',
    instead: 'the joined field is null, with the code `INTERNAL`',
    scenarios: ['planner-traps.test.ts: tells an error'],
  },
  {
    what: 'joins of a row whose key, or a field that they need, has a value of a wrong type: null',
    instead:
      'answered from what is left: an organization whose SIRET cannot be read has `workplaces: []` with `workplacesComplete: true`',
    scenarios: ['wrong-values.test.ts: a wrong type that a join needs', 'wrong-values.test.ts: a key of a wrong type'],
  },
  {
    what: 'variables that are missing, or null where none may stand: status 400 and `BAD_USER_INPUT`, before any call',
    instead: 'errors without a code at single fields, or `INTERNAL`, with status 200; the rest is fetched',
    scenarios: [
      'every-mistake.test.ts: of variables',
      'flags.test.ts: are told',
      'null-variables.test.ts: are refused',
      'null-variables.test.ts: have their default',
      'exported-offers.test.ts: are refused for bad values',
    ],
  },
  {
    what: 'flags (`@include`, `@skip`) whose variable is called `$__proto__`',
    instead: 'an error: it has no value',
    scenarios: ['flags.test.ts: have their default value, whatever they are called: $__proto__'],
  },
  {
    what: 'lists in lists refused before they are planned',
    instead: 'answered with status 200',
    scenarios: ['edge.test.ts: refuses lists in lists', 'nodes.test.ts: count towards the items'],
  },
  {
    what: 'traces: calls, plan and totals',
    instead: 'none; `extensions` is not passed on',
    scenarios: ['trace.test.ts', 'deadline.test.ts: at a root field', 'sources.test.ts: are the quotas'],
  },
  {
    what: 'the calls of an operation before it runs (`x-passerelle-dry-run`), and the limit of them',
    instead: 'no limit; a dry run is executed',
    scenarios: [
      'price.test.ts',
      'organization-missions.test.ts: are priced',
      'exported-offers.test.ts: are found around a collectivity by one call',
    ],
  },
  {
    what: 'the example `organizations-that-hire` within the 28 calls that it names',
    instead: '76',
    scenarios: ['examples.test.ts: organizations-that-hire'],
  },
  {
    what: 'rows: CSV, Excel and GeoJSON, and data links',
    instead: 'JSON',
    scenarios: [
      'rows-of-all-pages.test.ts',
      'untrusted-paging.test.ts',
      'missions-of-equal-start.test.ts: are all in a file',
      'exported-offers.test.ts: are counted in a file',
      'exported-offers.test.ts: have values that filters take back',
    ],
  },
  {
    what: '`Cache-Control`, `ETag` and `Vary` by what the response depends on',
    instead: 'none',
    scenarios: [
      'shared-caching.test.ts',
      'exported-offers.test.ts: are of the day',
      'exported-offers.test.ts: are as old as the export',
    ],
  },
  {
    what: '`/readyz` with the state of each source, `/healthz`',
    instead: 'paths of its own, which know no source; the subgraphs have theirs',
    scenarios: [
      'edge.test.ts: tells that it is alive',
      'export.test.ts: is told',
      'keys-without-rules.test.ts: of the operator is told by /readyz',
      'sources-down.test.ts: is told',
      'sources.test.ts: is of which day',
    ],
  },
  {
    what: 'metrics and log of requests',
    instead: 'its own, where they are switched on; the subgraphs keep theirs',
    scenarios: ['secrets.test.ts: are no labels', 'edge.test.ts: logs how long'],
  },
  {
    what: 'automatic persisted queries',
    instead: 'refused with `BAD_REQUEST`',
    scenarios: ['edge.test.ts: takes automatic'],
  },
  {
    what: 'responses in gzip and brotli',
    instead: 'uncompressed, unless its own setting is on',
    scenarios: ['edge.test.ts: answers in gzip'],
  },
  {
    what: 'CORS for listed origins alone',
    instead: 'every origin, unless its own setting says otherwise',
    scenarios: ['edge.test.ts: lets pages of named'],
  },
  {
    what: 'status 400 for documents that GraphQL refuses',
    instead: 'status 200 with the same errors, for clients that send no `Accept`',
    scenarios: [
      'edge.test.ts: refuses an operation',
      'every-mistake.test.ts: a word that stands',
      'wrong-values.test.ts: OTHER is refused',
    ],
  },
];
