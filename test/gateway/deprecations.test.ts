import { createHash } from 'node:crypto';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { parseSafelist } from '../../gateway/limits/safelist.js';
import { factsOf } from '../../gateway/request/request.js';
import { type OpenedGateway, openGateway, post, SHAPES, type Shape } from './support/open-gateway.js';

/** Guards that a response says what of its operation is deprecated, however it was answered, and to nobody else. */

const HEADER = 'x-passerelle-deprecations';
const OLD = 'query Old($text: String) { half(of: 2) echo(text: $text) }';
const NEW = 'query New($text: String) { echo(text: $text) }';
const VARIABLES = { text: 'a' };
const HASH = createHash('sha256').update(OLD).digest('hex');

let gateway: OpenedGateway;
afterEach(() => gateway.close());

async function open(shape: Shape, more: Parameters<typeof openGateway>[0] = {}): Promise<string> {
  const say = (_: unknown, { text }: { text: string }) => text;
  gateway = await openGateway({
    ...{ shape, isRemembered: true, resolvers: { volunteering: { Query: { echo: say, half: () => 1 } } } },
    ...more,
  });
  return `${gateway.url}/graphql`;
}

describe.each(SHAPES)('A response says what is deprecated of its operation, %s', (shape) => {
  it('executed or not, and nothing of one that uses nothing', async () => {
    const url = await open(shape);
    for (const _time of [1, 2, 3, 4]) {
      const { headers, data } = await post(url, { query: OLD, variables: VARIABLES });
      expect([data, headers.get(HEADER)]).toEqual([{ half: 1, echo: 'a' }, 'Query.half']);
      expect((await post(url, { query: NEW, variables: VARIABLES })).headers.get(HEADER)).toBeNull();
      const both = { query: `${OLD} ${NEW}`, variables: VARIABLES };
      expect((await post(url, { ...both, operationName: 'Old' })).headers.get(HEADER)).toBe('Query.half');
      expect((await post(url, { ...both, operationName: 'New' })).headers.get(HEADER)).toBeNull();
    }
    const ways = new Set(gateway.log.map(({ fields }) => fields['way']).filter((way) => way !== undefined));
    if (shape === 'in process') expect([...ways]).toEqual(expect.arrayContaining(['schema', 'whole response']));
  });

  it('that was persisted, or is listed', async () => {
    const byHash = { variables: VARIABLES, extensions: { persistedQuery: { version: 1, sha256Hash: HASH } } };
    const url = await open(shape);
    expect((await post(url, { ...byHash, query: OLD })).headers.get(HEADER)).toBe('Query.half');
    for (const _time of [1, 2]) expect((await post(url, byHash)).headers.get(HEADER)).toBe('Query.half');
    await gateway.close();
    const operations = parseSafelist(JSON.stringify({ [`sha256:${HASH}`]: OLD }));
    const listed = await open(shape, { gateway: { safelist: { operations, hash: '', mode: 'enforce' } } });
    for (const _time of [1, 2, 3]) expect((await post(listed, byHash)).headers.get(HEADER)).toBe('Query.half');
  });

  it('in a GET, and in rows', async () => {
    const url = await open(shape);
    const get = (more: Record<string, string>) =>
      fetch(`${url}?${new URLSearchParams({ query: OLD, variables: JSON.stringify(VARIABLES), ...more })}`);
    expect((await get({})).headers.get(HEADER)).toBe('Query.half');
    const rows = '{ organization { id } half(of: 2) }';
    expect((await get({ query: rows, format: 'csv' })).headers.get(HEADER)).toBe('Query.half');
  });
});

it('A subgraph in another process says nothing of it: the operations it gets are no client’s', async () => {
  await open('apart');
  const [{ url } = { url: '' }] = gateway.listeners;
  const { status, headers } = await post(
    url,
    { query: '{ half }' },
    { 'x-passerelle-subgraph-token': 'token-shared-by-gateway-and-subgraphs' },
  );
  expect([status, headers.get(HEADER)]).toEqual([200, null]);
});

const SCHEMA = buildSchema(`
  type Query { plain(kind: Kind, kinds: [Kind!], filter: Filter, near: Int @deprecated): String gone: String @deprecated(reason: "Read plain.") ${Array.from({ length: 30 }, (_, at) => `old${at}: String @deprecated`).join(' ')} }
  interface Node { id: ID @deprecated }
  type Old implements Node { id: ID old: [String!]! @deprecated }
  extend type Query { node: [Node!]! }
  enum Kind { GOOD BAD @deprecated }
  input Filter { siren: String @deprecated inner: Filter }
`);

it.each([
  ['{ plain }', null],
  ['{ plain(kind: GOOD, filter: { inner: {} }) __typename }', null],
  ['{ a: gone b: gone }', 'Query.gone'],
  ['{ ... { gone } ... on Query @include(if: true) { plain(kind: BAD) } }', 'Query.gone, Kind.BAD'],
  ['{ plain(kinds: [GOOD, BAD]) }', 'Kind.BAD'],
  ['{ node { id ... on Old { old } } __type(name: "Old") { name } }', 'Node.id, Old.old'],
  ['{ plain(near: 3) }', 'Query.plain(near:)'],
  ['{ plain(kind: BAD) }', 'Kind.BAD'],
  ['query Q($kind: Kind = BAD) { plain(kind: $kind) }', 'Kind.BAD'],
  ['{ plain(filter: { inner: { siren: "1" } }) }', 'Filter.siren'],
  ['fragment F on Query { gone } query Q { ...F plain(near: 1) }', 'Query.plain(near:), Query.gone'],
  [
    `{ ${Array.from({ length: 21 }, (_, at) => `old${at}`).join(' ')} }`,
    `${Array.from({ length: 20 }, (_, at) => `Query.old${at}`).join(', ')}, more`,
  ],
])('What is deprecated is named by its place in the schema, twenty at most: %s', async (text, said) => {
  gateway = await openGateway();
  const document = parse(text);
  const operation = getOperationAST(document);
  expect(operation && factsOf({ schema: SCHEMA, document, operation }).deprecations).toBe(said);
});
