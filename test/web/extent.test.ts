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
const GROUPS = 'exportedOfferCounts.groups[]';
const counts = (content: JsonObject): JsonObject => ({ exportedOfferCounts: content });
const groups = (selected: string) => `{ exportedOfferCounts(by: [ROME], top: 2) { ${selected} groups { count } } }`;

describe('How much of a list there is', () => {
  test.each<[string, string, Case]>([
    [
      'the whole of a last page',
      'all',
      {
        query: of('complete pageInfo { hasNextPage }'),
        data: missions({ complete: null, pageInfo: { hasNextPage: false }, nodes: rows(10) }),
        path: MISSIONS,
      },
    ],
    [
      'a last page whose source gave some rows twice',
      'notComplete',
      {
        query: of('complete pageInfo { hasNextPage }'),
        data: missions({ complete: false, pageInfo: { hasNextPage: false }, nodes: rows(10) }),
        path: MISSIONS,
      },
    ],
    [
      'a page that others follow',
      'page',
      {
        query: of('pageInfo { hasNextPage }'),
        data: missions({ pageInfo: { hasNextPage: true }, nodes: rows(10) }),
        path: MISSIONS,
      },
    ],
    [
      'as many as there are',
      'all',
      { query: of('totalCount'), data: missions({ totalCount: 10, nodes: rows(10) }), path: MISSIONS },
    ],
    [
      'fewer than there are',
      'page',
      { query: of('totalCount'), data: missions({ totalCount: 84, nodes: rows(10) }), path: MISSIONS },
    ],
    [
      'of an unknown total',
      'unknown',
      { query: of('totalCount'), data: missions({ totalCount: null, nodes: rows(10) }), path: MISSIONS },
    ],
    [
      'all groups of counts',
      'all',
      {
        query: groups('complete groupCount'),
        data: counts({ complete: true, groupCount: 2, groups: rows(2) }),
        path: GROUPS,
      },
    ],
    [
      'the largest groups of more',
      'largest',
      {
        query: groups('complete groupCount'),
        data: counts({ complete: true, groupCount: 3, groups: rows(2) }),
        path: GROUPS,
      },
    ],
    [
      'the largest groups, and how many rows the others have',
      'largest',
      {
        query: groups('complete others'),
        data: counts({ complete: true, others: 5, groups: rows(2) }),
        path: GROUPS,
      },
    ],
    [
      'groups of counts that say nothing',
      'unknown',
      { query: groups('complete'), data: counts({ complete: true, groups: rows(2) }), path: GROUPS },
    ],
    ['a page that says nothing', 'unknown', { query: of(''), data: missions({ nodes: rows(10) }), path: MISSIONS }],
    // A page may be shorter than `first` although others follow: organizations of a département, and ranges of dates.
    [
      'a short page that says nothing',
      'unknown',
      { query: of(''), data: missions({ nodes: rows(3) }), path: MISSIONS },
    ],
    [
      'a page under another name',
      'unknown',
      {
        query: '{ missions(first: 3) { rows: nodes { id } } }',
        data: missions({ rows: rows(3) }),
        path: 'missions.rows[]',
      },
    ],
    [
      'the last page, after others',
      'page',
      {
        query: 'query ($after: String) { missions(after: $after) { pageInfo { hasNextPage } nodes { id } } }',
        variables: { after: 'x' },
        data: missions({ pageInfo: { hasNextPage: false }, nodes: rows(3) }),
        path: MISSIONS,
      },
    ],
    [
      'what is inside the rows of a page',
      'page',
      {
        query: '{ missions(first: 1) { totalCount nodes { addresses { city } } } }',
        data: missions({ totalCount: 2, nodes: [{ addresses: [{ city: 'A' }] }] }),
        path: 'missions.nodes[].addresses[]',
      },
    ],
    [
      'pages of several parents, of which one goes on',
      'innerPages',
      {
        query: '{ communes(code: "76540") { missions(first: 1) { totalCount truncated nodes { id } } } }',
        data: {
          communes: [
            { missions: { totalCount: 1, truncated: false, nodes: rows(1) } },
            { missions: { totalCount: 2, truncated: false, nodes: rows(1) } },
          ],
        },
        path: 'communes[].missions.nodes[]',
      },
    ],
    [
      'pages of several parents, of which one says nothing',
      'unknown',
      {
        query: '{ communes(code: "76540") { missions(first: 1) { nodes { id } } } }',
        data: { communes: [{ missions: { nodes: rows(1) } }] },
        path: 'communes[].missions.nodes[]',
      },
    ],
    [
      'a list without a limit',
      'all',
      { query: '{ departements { nom } }', data: { departements: [{ nom: 'A' }] }, path: 'departements[]' },
    ],
    [
      'fewer than a limit that is written',
      'all',
      {
        query: '{ communesByName(name: "a", first: 3) { nom } }',
        data: { communesByName: [{ nom: 'A' }] },
        path: 'communesByName[]',
      },
    ],
    [
      'as many as a limit that is written',
      'unknown',
      {
        query: '{ communesByName(name: "a", first: 1) { nom } }',
        data: { communesByName: [{ nom: 'A' }] },
        path: 'communesByName[]',
      },
    ],
    [
      'as many as the limit by default',
      'unknown',
      {
        query: '{ communesByName(name: "a") { nom } }',
        data: { communesByName: Array(10).fill({ nom: 'A' }) },
        path: 'communesByName[]',
      },
    ],
    [
      'a search that says it has everything',
      'all',
      {
        query: '{ jobSearch { truncated jobs { id } } }',
        data: { jobSearch: { truncated: false, jobs: [{}] } },
        path: 'jobSearch.jobs[]',
      },
    ],
    [
      'a search that is cut off',
      'truncated',
      {
        query: '{ jobSearch { truncated jobs { id } } }',
        data: { jobSearch: { truncated: true, jobs: [{}] } },
        path: 'jobSearch.jobs[]',
      },
    ],
    [
      'a search that says nothing',
      'unknown',
      {
        query: '{ jobSearch { jobs { id } } }',
        data: { jobSearch: { jobs: [{}] } },
        path: 'jobSearch.jobs[]',
      },
    ],
    [
      'counts of all by their total',
      'all',
      {
        query: '{ missionCounts(by: [DOMAIN]) { counted total groups { key } } }',
        data: { missionCounts: { counted: 2, total: 2, groups: [{ key: 'a' }] } },
        path: 'missionCounts.groups[]',
      },
    ],
    [
      'counts that say nothing',
      'unknown',
      {
        query: '{ missionCounts(by: [DOMAIN]) { groups { key } } }',
        data: { missionCounts: { groups: [{ key: 'a' }] } },
        path: 'missionCounts.groups[]',
      },
    ],
    [
      'workplaces, not all, under another name',
      'notComplete',
      {
        query: '{ organization(siret: "35600000000048") { workplacesComplete w: workplaces { name } } }',
        data: { organization: { workplacesComplete: false, w: [{ name: 'a' }] } },
        path: 'organization.w[]',
      },
    ],
    [
      'a last page with an error in a row',
      'failed',
      {
        query: of('pageInfo { hasNextPage }'),
        data: missions({ pageInfo: { hasNextPage: false }, nodes: [null, ...rows(3)] }),
        errors: [{ message: 'Down.', path: ['missions', 'nodes', 0] }],
        path: MISSIONS,
      },
    ],
    [
      'no rows, because of an error',
      'failed',
      {
        query: of('pageInfo { hasNextPage }'),
        data: { missions: null },
        errors: [{ message: 'Down.', path: ['missions'] }],
        path: MISSIONS,
      },
    ],
    [
      'everything, with an error elsewhere',
      'all',
      {
        query: '{ departements { nom } viewer { name } }',
        data: { departements: [{ nom: 'A' }], viewer: null },
        errors: [{ message: 'Down.', path: ['viewer'] }],
        path: 'departements[]',
      },
    ],
    [
      'everything, with an error of unknown place',
      'failed',
      {
        query: '{ departements { nom } }',
        data: { departements: [{ nom: 'A' }] },
        errors: [{ message: 'Down.' }],
        path: 'departements[]',
      },
    ],
    ['the whole response', 'all', { query: '{ viewer { name } }', data: { viewer: { name: 'A' } }, path: '' }],
  ])('is known: %s is %s', (_name, kind, response) => {
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
