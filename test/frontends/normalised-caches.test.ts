import { fileURLToPath } from 'node:url';
import { ApolloClient, HttpLink, InMemoryCache, type InMemoryCacheConfig } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { type GraphQLObjectType, introspectionFromSchema, isObjectType, Kind, parse, print, visit } from 'graphql';
import {
  type ConcreteRequest,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { filter, firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readApi } from '../../scripts/docs/api.js';
import { POLLING } from '../polling.js';
import { the } from '../scenarios/samples.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { halvesOf, isEntity } from './halves.js';
import { compileForRelay } from './relay.js';

const schema = readApi();

/** A file of an example. They are a program of their own, whose declarations stay theirs: so its types are not read. */
const example = (file: string) => import(fileURLToPath(new URL(`../../examples/${file}`, import.meta.url)));
const { CACHE, OPTIONS } = (await example('apollo/src/client.ts')) as {
  CACHE: InMemoryCacheConfig;
  OPTIONS: ApolloClient.DefaultOptions;
};

const OBJECTS = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__') && !['Query', 'Mutation'].includes(name));
const namesOf = (isWanted: (type: GraphQLObjectType) => boolean) => OBJECTS.filter(isWanted).map(({ name }) => name);
const ENTITIES = namesOf(isEntity);
/** Objects that belong to the one around them. */
const VALUES = namesOf((type) => !isEntity(type));

/** What a page of ours may add, so that two queries for different parts of one value add up in Apollo's cache. */
const MERGED_VALUES = { typePolicies: Object.fromEntries(VALUES.map((type) => [type, { merge: true }])) };

/** What Apollo Client asks of everybody whose fragments are on one type of an interface, as Graphcache asks the schema. */
const POSSIBLE_TYPES = { possibleTypes: { Source: ENTITIES.filter((name) => name.endsWith('Source')) } };

/** A query that leads to each entity: `$` is replaced by the selection of its fields. */
const WAYS: Readonly<Record<string, string>> = {
  Academie: '{ departements { id academie { $ } } }',
  Certification: '{ certifications(rncp: "RNCP", first: 3) { nodes { $ } } }',
  Commune: '{ commune(insee: "75056") { $ } }',
  CommuneAncienne: '{ commune(insee: "ANCIENNES") { id anciennes { $ } } }',
  CommuneArrondissement: '{ commune(insee: "75056") { id arrondissements { $ } } }',
  CommuneCandidate: '{ missions(first: 3) { nodes { id communeMatch { candidates { $ } } } } }',
  Company: '{ viewer { id companies { $ } } }',
  Departement: '{ departements { $ } }',
  Epci: '{ epcisByName(name: "rennes") { $ } }',
  Formation: '{ formations(first: 3) { nodes { $ } } }',
  JobOffer: '{ jobSearch { jobs { $ } } }',
  JobOfferPublishing: '{ jobOfferPublishing(id: "OFFER") { $ } }',
  JobRecruiter: '{ jobSearch { recruiters { $ } } }',
  Mission: '{ missions(first: 3) { nodes { $ } } }',
  MissionAddress: '{ missions(first: 3) { nodes { id addresses { $ } } } }',
  MissionLocale: '{ missionsLocales(latitude: 48.85, longitude: 2.35) { $ } }',
  Occupation: '{ occupationsByName(name: "boulanger") { $ } }',
  Organisme: '{ organismes(first: 3) { nodes { $ } } }',
  OrganismeEtablissement: '{ organismes(first: 3) { nodes { id etablissement { $ } } } }',
  OrganismeUniteLegale: '{ organismes(first: 3) { nodes { id uniteLegale { $ } } } }',
  Organization: '{ organizations(first: 3) { nodes { $ } } }',
  Place: '{ placesByName(name: "rennes") { $ } }',
  Region: '{ departements { id region { $ } } }',
  Viewer: '{ viewer { $ } }',
  VolunteeringSource: '{ sources { id ... on VolunteeringSource { $ } } }',
  WasteIdentitySource: '{ sources { id ... on WasteIdentitySource { $ } } }',
  WorkStudySource: '{ sources { id ... on WorkStudySource { $ } } }',
};

/** Payloads of writes, which have only an id, so they cannot be halved. */
const WRITE_PAYLOADS = ['ApplicationPayload'];

let stack: Stack;
/** Codes of the sandbox's world for the placeholders in the queries. */
let codes: Readonly<Record<string, string>>;
let headers: Record<string, string>;

beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
  const { world, keys } = stack.sandbox;
  const merged = the(world.communes.find(({ anciennes }) => Array.isArray(anciennes) && anciennes.length > 1));
  const offer = the(world.offers[0]);
  const rncp = world.certifications.map(({ identifiant }) => (identifiant as { rncp: string | null }).rncp);
  codes = {
    ANCIENNES: (merged['code'] as { insee: string }).insee,
    OFFER: (offer['identifier'] as { id: string }).id,
    RNCP: the(rncp.find((code) => code !== null) ?? undefined),
  };
  headers = { authorization: `Bearer ${keys.waste.token}` };
});
afterAll(() => stack.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Records everything that is logged to the console from now on. */
function listen(): unknown[][] {
  const heard: unknown[][] = [];
  for (const way of ['warn', 'error'] as const) {
    vi.spyOn(console, way).mockImplementation((...said) => void heard.push(said));
  }
  return heard;
}

function operations(entity: string, parts = true) {
  const way = Object.entries(codes).reduce(
    (text, [mark, code]) => text.replace(`"${mark}"`, `"${code}"`),
    WAYS[entity] ?? '',
  );
  const [one, other] = halvesOf(schema, entity, parts);
  return { one: parse(way.replace('$', () => one)), other: parse(way.replace('$', () => other)) };
}

const hasFragment = (entity: string) => WAYS[entity]?.includes('...') === true;

function apollo(settings: InMemoryCacheConfig, defaultOptions: ApolloClient.DefaultOptions = {}) {
  const link = new HttpLink({ uri: `${stack.url}/graphql`, headers });
  return new ApolloClient({ link, cache: new InMemoryCache(settings), defaultOptions });
}

function urql(needsSchema: boolean) {
  return new Client({
    url: `${stack.url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [cacheExchange(needsSchema ? { schema: introspectionFromSchema(schema) } : {}), fetchExchange],
  });
}

test('These tests lead to every entity of the graph', () => {
  expect([...Object.keys(WAYS), ...WRITE_PAYLOADS].sort()).toEqual([...ENTITIES].sort());
});

test('Apollo Client has null and the error for a list of a source that is down, also when it is watched again', async () => {
  const client = apollo(CACHE, OPTIONS);
  const list = 'missions(first: 2) { edges { cursor node { id } } pageInfo { endCursor hasNextPage } }';
  const query = parse(`{ commune(insee: "75056") { id ${list} } }`);
  const watch = async () => {
    const results = client.watchQuery<{ commune: { missions: { edges: object[] } | null } }>({ query });
    return firstValueFrom(results.pipe(filter(({ loading }) => !loading)));
  };
  const release = stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
  for (const _read of ['first', 'again']) {
    const { data, error } = await watch();
    expect(data?.commune?.missions).toBeNull();
    expect(error?.message).toContain('volunteering');
  }
  release();
  const isThere = async () => expect((await watch()).data?.commune?.missions?.edges).toHaveLength(2);
  await vi.waitFor(isThere, POLLING);
});

describe.each(Object.keys(WAYS))('Two queries that overlap in a %s', (entity) => {
  test.each([
    ['without settings', true, {}],
    ['with what merges values, where they overlap in those', false, MERGED_VALUES],
  ])('lose nothing in the cache of Apollo Client, %s', async (_settings, isWhole, settings) => {
    const heard = listen();
    const client = apollo({ ...settings, ...(hasFragment(entity) && POSSIBLE_TYPES) });
    const { one, other } = operations(entity, !isWhole);
    const first = await client.query({ query: one });
    const second = await client.query({ query: other });
    expect(JSON.stringify(first.data)).toContain(`"__typename":"${entity}"`);
    expect(client.readQuery({ query: one })).toEqual(first.data);
    expect(client.readQuery({ query: other })).toEqual(second.data);
    expect(heard).toEqual([]);
  });

  test('lose nothing in the cache of urql without keys, which says what is embedded: values', async () => {
    const heard = listen();
    const client = urql(hasFragment(entity));
    const { one, other } = operations(entity);
    const first = await client.query(one, {}).toPromise();
    const second = await client.query(other, {}).toPromise();
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    const fromCache = { requestPolicy: 'cache-only' } as const;
    expect((await client.query(one, {}, fromCache).toPromise()).data).toEqual(first.data);
    expect((await client.query(other, {}, fromCache).toPromise()).data).toEqual(second.data);
    const embedded = heard.map(
      ([said]) => /^Invalid key: .* custom `keys` config for `(\w+)`/s.exec(String(said))?.[1],
    );
    expect(VALUES).toEqual(expect.arrayContaining(embedded));
  });
});

test('Queries that overlap in every entity lose nothing in one store of Relay, which knows objects by their ids alone', async () => {
  const heard = listen();
  const network = Network.create(async ({ text }) => {
    const body = JSON.stringify({ query: text });
    const sent = { ...headers, 'content-type': 'application/json' };
    return (
      await fetch(`${stack.url}/graphql`, { method: 'POST', headers: sent, body })
    ).json() as Promise<GraphQLResponse>;
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const read: { descriptor: ReturnType<typeof createOperationDescriptor>; data: unknown }[] = [];
  for (const entity of Object.keys(WAYS)) {
    for (const document of Object.values(operations(entity))) {
      const typed = visit(document, {
        SelectionSet: (set) => ({
          ...set,
          selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }, ...set.selections],
        }),
      });
      const request = compileForRelay(schema, document, print(typed)) as unknown as ConcreteRequest;
      const descriptor = createOperationDescriptor(request, {});
      environment.retain(descriptor);
      const data = await fetchQuery(environment, request, {}).toPromise();
      expect(data, entity).toBeDefined();
      read.push({ descriptor, data });
    }
  }
  for (const { descriptor, data } of read) expect(environment.lookup(descriptor.fragment).data).toEqual(data);
  expect(heard).toEqual([]);
});

test('A commune without a key loses fields, with a warning: what these tests would see', async () => {
  const heard = listen();
  const client = apollo({ typePolicies: { Commune: { keyFields: false } } });
  const { one, other } = operations('Commune');
  await client.query({ query: one });
  await client.query({ query: other });
  expect(client.readQuery({ query: one })).toBeNull();
  expect(heard).not.toEqual([]);
});
