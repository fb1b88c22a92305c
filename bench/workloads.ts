/** One query, in the form that each kind of variant takes. */
export interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Path of the same query for the join by hand. */
  readonly path: string;
}

/** Queries that are sent in rotation. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly Operation[];
  readonly connections: number;
  /** For `accept-encoding`; empty for none. */
  readonly encoding: '' | 'gzip' | 'br';
  /**
   * Only for a workload in which no request finds anything fresh: milliseconds by which each upstream response is
   * delayed.
   */
  readonly coldDelayMs?: number;
  /** Whether no variant that takes paths has it. */
  readonly isGraphqlOnly?: boolean;
}

/** Arguments of the queries. */
export interface Subjects {
  readonly inseeCodes: readonly string[];
  /** Cursors of the first missions of the list, in its order. */
  readonly cursors: readonly string[];
}

/** Pages of the varied join. They overlap, so that their upstream calls stay below 600 a minute (volunteering 6). */
const VARIED_PAGES = 200;

const JOINED =
  'nodes { id title commune { nom departement { nom } } organization { title siret workplaces { name siret } } }';

/** The list of missions with their cursors, for `Subjects`. */
export const CURSORS_QUERY = `{ missions(first: ${VARIED_PAGES}) { edges { cursor } } }`;

const join = (missions: number): Operation => ({
  query: `{ missions(first: ${missions}) { ${JOINED} } }`,
  path: `/missions?first=${missions}&skip=0`,
});

const TRIVIAL: Operation = { query: '{ __typename }', path: '/typename' };

/** The query that is sent once after a start. */
export const START: Workload = { name: 'start', title: 'starts', operations: [join(20)], connections: 1, encoding: '' };

/** A document that no variant has seen: the load writes a different number into its name for each request. */
const NEW_DOCUMENT: Operation = { ...join(20), query: `query Page000000000 ${join(20).query}` };

/** Known operations with variables that no variant has seen: one of them is not even declared, and numbered. */
const UNSEEN = Array.from(
  { length: 200 },
  (_, index): Operation => ({
    query: `query Page($first: Int) { missions(first: 20) { ${JOINED.replace('workplaces', 'jobOffers(first: $first) { nodes { __typename } } workplaces')} } }`,
    variables: { first: index + 1, page: '000000000' },
    path: '',
  }),
);

/** All workloads, the cold ones last, because they expire everything that was cached. */
export function workloadsOf({ inseeCodes, cursors }: Subjects): Workload[] {
  const join20 = { operations: [join(20)], connections: 16, encoding: '' } as const;
  const varied = cursors.map((after, place) => page(after, place + 1));
  return [
    { ...join20, name: 'trivial', title: '{ __typename }', operations: [TRIVIAL] },
    { ...join20, name: 'join', title: 'join of 20, repeated' },
    { ...join20, name: 'varied', title: `join of 20, ${VARIED_PAGES} different arguments`, operations: varied },
    { ...join20, name: 'wide', title: 'join of 100, repeated', operations: [join(100)] },
    { ...join20, name: 'lookups', title: 'look-ups over 500 codes', operations: inseeCodes.map(lookUp) },
    {
      ...{ ...join20, name: 'unseen', title: 'join of 20 with offers, each with a variable not seen before' },
      ...{ operations: UNSEEN, isGraphqlOnly: true },
    },
    { ...join20, name: 'documents', title: 'join of 20, each a new document', operations: [NEW_DOCUMENT] },
    { ...join20, name: 'gzip', title: 'join of 20, gzip', encoding: 'gzip' },
    { ...join20, name: 'br', title: 'join of 20, br', encoding: 'br' },
    { ...join20, name: 'one', title: 'join of 20 over 1 connection', connections: 1 },
    { ...join20, name: 'many', title: 'join of 20 over 64 connections', connections: 64 },
    ...[0, 20, 100].map((coldDelayMs) => ({
      ...join20,
      name: `cold-${coldDelayMs}`,
      title: `join of 20, nothing fresh, ${coldDelayMs} ms upstream`,
      connections: 1,
      coldDelayMs,
    })),
  ];
}

function page(after: string, skip: number): Operation {
  const query = `query Page($after: String) { missions(first: 20, after: $after) { ${JOINED} } }`;
  return { query, variables: { after }, path: `/missions?first=20&skip=${skip}` };
}

function lookUp(insee: string): Operation {
  const query =
    'query Commune($insee: INSEECode!) { commune(insee: $insee) { nom departement { nom } academie { nom } } }';
  return { query, variables: { insee }, path: `/commune?insee=${insee}` };
}
