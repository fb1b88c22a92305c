import { composeServices } from '@apollo/composition';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse, printSchema } from 'graphql';
import type { GraphFiles } from '../../../gateway/graph/graph-files.js';
import { declareFields } from '../../../kernel/declared-field.js';
import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext, Subgraph } from '../../../kernel/operation.js';
import { fromEachService, SERVICE_ENTRIES, type ServiceName, type SourceState } from '../../../kernel/services.js';
import { NO_FIGURES } from '../../../kernel/source-figures.js';
import { resolveEntitiesLean } from '../../../subgraphs/graph/subgraph-schema.js';

/** A small graph with the joins of the real one: mission → commune, organization → workplaces, sources. */
const JOINED: Readonly<Partial<Record<ServiceName, string>>> = {
  volunteering: `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@shareable", "@inaccessible"])
    type Query {
      missions: [Mission]
      mission(id: ID!): Mission
      organization(siret: String, filter: Filter): Organization
      echo(text: String): String
      slow: String
      half(of: Float): Float @deprecated(reason: "Divide. Until 2027-06-01.")
    }
    input Filter { representations: [String!] }
    type Mutation { apply(text: String): String }
    interface Place { name: String }
    type Office implements Place { name: String city: String }
    type Street implements Place { name: String title: String }
    union Anything = Office | Street
    type Mission @key(fields: "id") {
      id: ID!
      title: String
      city: String
      postalCode: String
      location: LonLat
      organization: Organization
      places: [Place]
      anything: [Anything]
      related: [Mission]
      near(first: Int = 25): MissionConnection
    }
    type MissionConnection { nodes: [Mission] }
    type LonLat @shareable { lon: Float lat: Float }
    type Organization @key(fields: "id") { id: ID! title: String siret: String sirets: [String] }
    interface Source { name: String! state: String }
    type VolunteeringSource implements Source @key(fields: "name") { name: String! state: String quota: Int }
    type Commune @key(fields: "code { insee }") {
      code: CommuneCode
      centre: LonLat @external
      missions: [Mission] @requires(fields: "centre { lon lat }")
    }
    type CommuneCode @shareable { insee: String }
    type Workplace @key(fields: "siret") { siret: String organization: Organization }
  `,
  'work-study': `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@shareable", "@inaccessible"])
    type Query { commune(insee: String): Commune sources: [Source] jobs: [Workplace] }
    type CommuneCode @shareable { insee: String }
    type LonLat @shareable { lon: Float lat: Float }
    type Commune @key(fields: "code { insee }") { code: CommuneCode nom: String centre: LonLat level: Level }
    enum Level { HIGH LOW }
    type Mission @key(fields: "id") {
      id: ID!
      city: String @external
      postalCode: String @external
      location: LonLat @external
      commune: Commune @requires(fields: "city postalCode location { lon lat }")
      communeMatch: CommuneMatch @requires(fields: "city postalCode location { lon lat }")
    }
    type CommuneMatch { method: String! }
    type Organization @key(fields: "id") {
      id: ID!
      siret: String @external
      sirets: [String] @external
      workplaces: [Workplace] @requires(fields: "siret sirets")
    }
    type Workplace @key(fields: "siret", resolvable: false) { siret: String name: String }
    interface Source { name: String! }
    type WorkStudySource implements Source @key(fields: "name") { name: String! state: String quota: Int }
    type VolunteeringSource implements Source @key(fields: "name", resolvable: false) { name: String! }
    type WasteIdentitySource implements Source @key(fields: "name", resolvable: false) { name: String! }
  `,
  'waste-identity': `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@shareable", "@inaccessible"])
    type Query { viewer: Viewer exchange(code: String!): Exchange @inaccessible }
    type Exchange @inaccessible { token: String }
    type Viewer { name: String companies: [Company] }
    type Company @key(fields: "siret") { siret: String name: String }
    interface Source { name: String! state: String }
    type WasteIdentitySource implements Source @key(fields: "name") { name: String! state: String }
  `,
};

/** That, and a field of each further service, which the small graph has no use for. */
const SDL = fromEachService(
  (name) => JOINED[name] ?? `type Query { ${SERVICE_ENTRIES[name].prefix.toLowerCase()}: Boolean }`,
);

/** The subgraphs of the small graph, in the form that composition takes. */
function testSubgraphs(urls: Partial<Record<ServiceName, string>> = {}) {
  return (Object.keys(SDL) as ServiceName[]).map((name) => ({
    name,
    url: urls[name] ?? 'http://127.0.0.1:9/graphql',
    typeDefs: parse(SDL[name]),
  }));
}

/** The small graph, composed. */
export function composeTestGraph(urls: Partial<Record<ServiceName, string>> = {}): GraphFiles {
  const result = composeServices(testSubgraphs(urls));
  if (result.errors !== undefined) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  const api = printSchema(result.schema.toAPISchema().toGraphQLJSSchema());
  return { supergraph: result.supergraphSdl, api };
}

export type Resolvers = Record<string, Record<string, unknown>>;

export interface TestSubgraph extends Subgraph {
  /** The operations that it received, in order. */
  readonly requested: OperationContext[];
  state: SourceState;
}

function schemaOf(name: ServiceName, resolvers: Resolvers): GraphQLSchema {
  const schema = buildSubgraphSchema({ typeDefs: parse(SDL[name]), resolvers: resolvers as never });
  declareFields(schema, resolvers);
  resolveEntitiesLean(schema);
  return schema;
}

/** Of the three subgraphs of a gateway, two have no resolvers in most tests, and building a schema is half of its start. */
const withoutResolvers = new Map<ServiceName, GraphQLSchema>();

function schemaWithoutResolvers(name: ServiceName): GraphQLSchema {
  const schema = withoutResolvers.get(name) ?? schemaOf(name, {});
  withoutResolvers.set(name, schema);
  return schema;
}

/** A subgraph of the small graph over given resolvers; those of fields that joins require read nothing but their object. */
export function createTestSubgraph(name: ServiceName, resolvers?: Resolvers, isRemembered = false): TestSubgraph {
  const requested: OperationContext[] = [];
  return {
    name,
    schema: resolvers === undefined ? schemaWithoutResolvers(name) : schemaOf(name, resolvers),
    requested,
    state: 'UP',
    contextFor(operation) {
      requested.push(operation);
      // No response is remembered then, so every operation arrives here.
      if (!isRemembered) operation.recorder.forbidCaching();
      return { operation };
    },
    status() {
      return { state: this.state, upstream: 'sandbox' };
    },
    figures: () => NO_FIGURES,
    version: () => '',
    close: async () => {},
  };
}

/** What a resolver throws when its source fails. */
export function unavailable(service: ServiceName): CodedError {
  return new CodedError('UPSTREAM_UNAVAILABLE', `${service} is down.`, { service });
}
