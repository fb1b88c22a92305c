import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { extentOfList, whyPartial } from '../../analyst/page/lists/extent.js';
import { describeExtent, limitsOf, withMissing } from '../../rows/extent.js';
import type { JsonObject } from '../../rows/path.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

interface Case {
  readonly query: string;
  readonly data: JsonObject;
  readonly path: string;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
  readonly variables?: Readonly<Record<string, unknown>>;
}

function kindOf({ query, data, path, errors = [], variables }: Case, graph: GraphQLSchema | null = schema): string {
  expect(validate(schema, parse(query))).toEqual([]);
  return extentOfList({ request: { query, variables }, response: { data, errors } }, path, graph).kind;
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id: String(id) }));
const MISSIONS = 'missions.nodes[]';
const missions = (content: JsonObject): JsonObject => ({ missions: content });
const of = (selected: string, query = 'missions(first: 10)') => `{ ${query} { ${selected} nodes { id } } }`;
const INFO = 'pageInfo { hasNextPage }';
const [LAST, MORE] = [false, true].map((hasNextPage) => ({ pageInfo: { hasNextPage } }));
const DOWN = (...path: (string | number)[]) => ({ errors: [{ message: 'Down.', ...(path.length > 0 && { path }) }] });

/** A page of ten missions, or of others. */
const page = (selected: string, content: JsonObject): Case => ({
  ...{ query: of(selected), data: missions({ nodes: rows(10), ...content }), path: MISSIONS },
});

/** Two groups of counts. */
const groups = (selected: string, content: JsonObject): Case => ({
  query: `{ exportedOfferCounts(by: [ROME], top: 2) { ${selected} groups { count } } }`,
  data: { exportedOfferCounts: { ...content, groups: rows(2) } },
  path: 'exportedOfferCounts.groups[]',
});

/** The list that has the field's name. */
const list = (query: string, data: JsonObject, path = `${Object.keys(data)[0]}[]`): Case => ({ query, data, path });
const search = (selected: string, content: JsonObject): Case =>
  list(`{ jobSearch { ${selected} jobs { id } } }`, { jobSearch: { ...content, jobs: [{}] } }, 'jobSearch.jobs[]');
const domains = (selected: string, content: JsonObject): Case =>
  list(
    `{ missionCounts(by: [DOMAIN]) { ${selected} groups { key } } }`,
    { missionCounts: { ...content, groups: [{ key: 'a' }] } },
    'missionCounts.groups[]',
  );
const named = (limit: string, count: number): Case =>
  list(`{ communesByName(name: "a"${limit}) { nom } }`, { communesByName: Array(count).fill({ nom: 'A' }) });
const ofParents = (selected: string, ...contents: JsonObject[]): Case =>
  list(
    `{ communes(code: "76540") { missions(first: 1) { ${selected} nodes { id } } } }`,
    { communes: contents.map((content) => ({ missions: { ...content, nodes: rows(1) } })) },
    'communes[].missions.nodes[]',
  );

const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  all: {
    'the whole of a last page': page(`complete ${INFO}`, { complete: null, ...LAST }),
    'as many as there are': page('totalCount', { totalCount: 10 }),
    'all groups of counts': groups('complete groupCount', { complete: true, groupCount: 2 }),
    'a list without a limit': list('{ departements { nom } }', { departements: [{ nom: 'A' }] }),
    'fewer than a limit that is written': named(', first: 3', 1),
    'a search that says it has everything': search('truncated', { truncated: false }),
    'counts of all by their total': domains('counted total', { counted: 2, total: 2 }),
    'everything, with an error elsewhere': {
      ...list('{ departements { nom } viewer { name } }', { departements: [{ nom: 'A' }], viewer: null }),
      ...DOWN('viewer'),
    },
    'the whole response': list('{ viewer { name } }', { viewer: { name: 'A' } }, ''),
  },
  notComplete: {
    'a last page whose source gave some rows twice': page(`complete ${INFO}`, { complete: false, ...LAST }),
    'workplaces, not all, under another name': list(
      '{ organization(siret: "35600000000048") { workplacesComplete w: workplaces { name } } }',
      { organization: { workplacesComplete: false, w: [{ name: 'a' }] } },
      'organization.w[]',
    ),
  },
  page: {
    'a page that others follow': page(INFO, { ...MORE }),
    'fewer than there are': page('totalCount', { totalCount: 84 }),
    'the last page, after others': {
      query: `query ($after: String) { missions(after: $after) { ${INFO} nodes { id } } }`,
      variables: { after: 'x' },
      data: missions({ ...LAST, nodes: rows(3) }),
      path: MISSIONS,
    },
    'what is inside the rows of a page': list(
      '{ missions(first: 1) { totalCount nodes { addresses { city } } } }',
      missions({ totalCount: 2, nodes: [{ addresses: [{ city: 'A' }] }] }),
      'missions.nodes[].addresses[]',
    ),
  },
  innerPages: {
    'pages of several parents, of which one goes on': ofParents(
      'totalCount truncated',
      ...[1, 2].map((totalCount) => ({ totalCount, truncated: false })),
    ),
  },
  largest: {
    'the largest groups of more': groups('complete groupCount', { complete: true, groupCount: 3 }),
    'the largest groups, and how many rows the others have': groups('complete others', { complete: true, others: 5 }),
  },
  truncated: { 'a search that is cut off': search('truncated', { truncated: true }) },
  unknown: {
    'of an unknown total': page('totalCount', { totalCount: null }),
    'groups of counts that say nothing': groups('complete', { complete: true }),
    'a page that says nothing': page('', {}),
    // A page may be shorter than `first` although others follow: organizations of a département, and ranges of dates.
    'a short page that says nothing': page('', { nodes: rows(3) }),
    'a page under another name': list(
      '{ missions(first: 3) { rows: nodes { id } } }',
      missions({ rows: rows(3) }),
      'missions.rows[]',
    ),
    'pages of several parents, of which one says nothing': ofParents('', {}),
    'as many as a limit that is written': named(', first: 1', 1),
    'as many as the limit by default': named('', 10),
    'a search that says nothing': search('', {}),
    'counts that say nothing': domains('', {}),
  },
  failed: {
    'a last page with an error in a row': {
      ...page(INFO, { ...LAST, nodes: [null, ...rows(3)] }),
      ...DOWN('missions', 'nodes', 0),
    },
    'no rows, because of an error': { ...page(INFO, {}), data: { missions: null }, ...DOWN('missions') },
    'everything, with an error of unknown place': {
      ...list('{ departements { nom } }', { departements: [{ nom: 'A' }] }),
      ...DOWN(),
    },
  },
};

describe('How much of a list there is', () => {
  test.each(
    Object.entries(CASES).flatMap(([kind, cases]) =>
      Object.entries(cases).map(([what, response]) => [what, kind, response] as const),
    ),
  )('is known: %s is %s', (_what, kind, response) => {
    expect(kindOf(response)).toBe(kind);
  });

  test('is judged by query and response where the graph is not known', () => {
    const page = { query: of(''), data: missions({ nodes: rows(3) }), path: MISSIONS };
    const limited = {
      query: '{ communesByName(name: "a", first: 1) { nom } }',
      data: { communesByName: [{ nom: 'A' }] },
      path: 'communesByName[]',
    };
    expect([page, limited].map((response) => kindOf(response, null))).toEqual(['unknown', 'unknown']);
    expect(extentOfList({ request: { query: '{' }, response: { data: page.data } }, MISSIONS, schema).kind).toBe(
      'unknown',
    );
  });

  test('is said in both languages, with what the query would have to select', () => {
    const request = { query: of('') };
    const extent = extentOfList({ request, response: { data: missions({ nodes: rows(3) }) } }, MISSIONS, schema);
    expect(describeExtent(extent, MISSIONS, 'en')).toBe(
      'perhaps not all: the query does not select complete pageInfo { hasNextPage } beside missions.nodes',
    );
    expect(describeExtent(extent, MISSIONS, 'fr')).toMatch(
      /^peut-être pas tout : la requête ne sélectionne pas complete pageInfo/,
    );
    const page = { kind: 'page', list: MISSIONS, rows: 10, of: 84 } as const;
    expect(describeExtent(page, MISSIONS, 'fr')).toBe('une page de 10 lignes sur 84');
    expect(describeExtent(page, 'missions.nodes[].addresses[]', 'en')).toBe(
      'one page of 10 rows of 84 of missions.nodes',
    );
  });

  test('is said with why its pages were not followed to the end, of that list alone', () => {
    const page = { kind: 'page', list: MISSIONS, rows: 10, of: 84 } as const;
    const pages = { end: 'cap', list: MISSIONS, rows: 10, message: null } as const;
    expect(whyPartial({ pages }, MISSIONS, page)).toBe('row limit reached');
    const other = { ...page, list: 'organizations.nodes[]' };
    expect(whyPartial({ pages }, other.list, other)).toBe('one page of 10 rows of 84');
  });
});

describe('A query gets what its lists lack to say whether they are whole', () => {
  const added = (query: string, ...paths: string[]) => {
    const document = parse(query);
    const written = withMissing(
      document,
      paths.flatMap((path) => limitsOf({ document }, path, schema)),
    );
    if (written !== null) expect(validate(schema, parse(written))).toEqual([]);
    return written?.replace(/\s+/g, ' ') ?? null;
  };

  test('beside each list of the path', () => {
    expect(added(of(''), MISSIONS)).toBe('{ missions(first: 10) { nodes { id } complete pageInfo { hasNextPage } } }');
    expect(
      added(
        '{ communes(code: "76540") { ...C } } fragment C on Commune { missions { edges { node { id } } } }',
        'communes[].missions.edges[]',
      ),
    ).toContain('missions { edges { node { id } } truncated pageInfo { hasNextPage } }');
    expect(added('{ jobSearch { jobs { id } } }', 'jobSearch.jobs[]')).toContain('jobs { id } truncated }');
    expect(added('{ missionSearch { facets { domains { key } } } }', 'missionSearch.facets.domains[]')).toBe(
      '{ missionSearch { facets { domains { key } counted } totalCount } }',
    );
  });

  test.each([
    ['it has it', of('complete pageInfo { hasNextPage }'), MISSIONS],
    ['nothing says it', '{ departements { nom } }', 'departements[]'],
    ['an alias has its name', '{ missions { pageInfo: totalCount nodes { id } } }', MISSIONS],
  ])('and nothing where %s', (_name, query, path) => {
    expect(added(query, path)).toBeNull();
  });
});
