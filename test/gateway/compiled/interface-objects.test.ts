import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { composeServices } from '@apollo/composition';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, graphql, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway } from '../support/open-gateway.js';
import type { Resolvers } from '../support/test-graph.js';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@interfaceObject", "@shareable"])';

const BOOKS = [
  { __typename: 'Book', id: 'b1', title: 'Nausicaä', pages: 1104 },
  { __typename: 'Movie', id: 'm1', title: 'Porco Rosso', minutes: 94 },
];
const byId = ({ id }: { id: string }) => BOOKS.find((one) => one.id === id);

interface Graph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
  readonly resolvers: Resolvers;
}

/** One subgraph has the types behind the interface, another a single object type for all of them. */
const GRAPHS: readonly Graph[] = [
  {
    name: 'catalogue',
    typeDefs: parse(`${LINK}
      type Query { medias: [Media] media(id: ID!): Media featured: Media @shareable }
      interface Media @key(fields: "id") { id: ID! title: String }
      type Book implements Media @key(fields: "id") { id: ID! title: String @shareable pages: Int }
      type Movie implements Media @key(fields: "id") { id: ID! title: String minutes: Int }
    `),
    resolvers: {
      Query: { medias: () => BOOKS, media: (_: unknown, one: { id: string }) => byId(one), featured: () => BOOKS[0] },
      Media: { __resolveReference: byId },
      Book: { __resolveReference: byId },
      Movie: { __resolveReference: byId },
    },
  },
  {
    name: 'reviews',
    typeDefs: parse(`${LINK}
      type Query { topRated: [Media] best: Media! }
      type Media @key(fields: "id") @interfaceObject { id: ID! reviews: [Review] }
      type Review { score: Int about: Media }
    `),
    resolvers: {
      Query: { topRated: () => [{ id: 'm1' }, { id: 'b1' }], best: () => ({ id: 'b1' }) },
      Media: { reviews: ({ id }: { id: string }) => [{ score: id === 'b1' ? 5 : 4, about: { id } }] },
    },
  },
  {
    name: 'library',
    typeDefs: parse(`${LINK}
      type Query { featured: Book @shareable shelf: [Item] }
      type Book @key(fields: "id") { id: ID! title: String @shareable shelf: String }
      union Item = Book
    `),
    resolvers: {
      Query: { featured: () => BOOKS[0], shelf: () => [BOOKS[0]] },
      Book: { shelf: () => 'A3', __resolveReference: byId },
    },
  },
];

async function serve({ typeDefs, resolvers }: Graph): Promise<{ server: Server; url: string }> {
  const schema = buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request)) as { query: string; variables?: object };
    const result = await graphql({ schema, source: query, variableValues: { ...variables } });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

describe('a foreign graph whose subgraphs have an object type for an interface', () => {
  const servers: Server[] = [];
  let gateway: OpenedGateway;
  let stock: ApolloServer;

  beforeAll(async () => {
    const services = [];
    for (const graph of GRAPHS) {
      const { server, url } = await serve(graph);
      servers.push(server);
      services.push({ name: graph.name, url, typeDefs: graph.typeDefs });
    }
    const { supergraphSdl, errors } = composeServices(services);
    if (supergraphSdl === undefined) throw new Error(String(errors));
    gateway = await openGateway({ gateway: { supergraph: { sdl: supergraphSdl, ours: false } } });
    stock = new ApolloServer({ gateway: new ApolloGateway({ supergraphSdl }) });
    await stock.start();
  });
  afterAll(async () => {
    await gateway.close();
    await stock.stop();
    for (const server of servers) server.close();
  });

  it.each([
    '{ topRated { id } }',
    '{ topRated { id reviews { score } } }',
    '{ topRated { reviews { about { id } } } }',
    '{ topRated { __typename id } }',
    '{ topRated { kind: __typename id reviews { score } } }',
    '{ topRated { id title } }',
    '{ topRated { ... on Media { id reviews { score } } } }',
    '{ topRated { id ... on Book { pages } ... on Movie { minutes reviews { score } } } }',
    '{ topRated { ... on Book { reviews { score } } } }',
    '{ best { id } again: best { __typename reviews { about { __typename title } } } }',
    '{ medias { id reviews { score } } }',
    '{ medias { __typename reviews { score about { id title } } ... on Movie { minutes } } }',
    '{ media(id: "m1") { reviews { score } ... on Movie { minutes } } }',
    '{ featured { id title } }',
    '{ featured { title ... on Book { shelf } } }',
    '{ featured { __typename id reviews { score } } }',
    '{ shelf { ... on Book { id shelf pages } } }',
    '{ shelf { ... on Media { id reviews { score } } } }',
  ])('answers %s as the stock gateway does', async (query) => {
    const { body } = await stock.executeOperation({ query });
    if (body.kind !== 'single') throw new Error('The stock gateway answered in parts.');
    const { data, errors = [] } = body.singleResult;
    const result = await gateway.send(query);
    expect(result.data).toEqual(JSON.parse(JSON.stringify(data)));
    expect((result.errors ?? []).map(({ path }) => path)).toEqual(errors.map(({ path }) => path));
    expect(JSON.stringify(result.data)).not.toBe(JSON.stringify({}));
  });
});
