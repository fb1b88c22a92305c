import {
  defaultFieldResolver,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { type DeclaredField, declaredField, NO_INFO } from '../../kernel/declared-field.js';
import type { Subgraph } from '../../kernel/operation.js';
import { whenThere } from '../../kernel/ready.js';
import { type FieldOwner, findFieldOwners, type SupergraphMap } from '../../kernel/supergraph.js';
import type { GraphContext } from './graph-context.js';
import { compileRepresentation, propertyOf, type Represent, textOf } from './representation.js';

/*
 * The graph that clients see, as one executable schema.
 *
 * The subgraphs are real: each has its own schema with its own resolvers, and the supergraph, composed from their SDL,
 * says which of them answers a field (`kernel/supergraph.ts`). Here each field of the API schema gets the resolver of
 * its owner, so that graphql-js executes an operation as in any other server:
 *
 *   Query.missions          volunteering          the owner's resolver
 *   Mission.title           volunteering          the owner's resolver, or the property of that name
 *   Mission.commune         work-study            a join: the mission, which comes from volunteering, is represented by
 *                                                 its key and what the field requires (`id city postalCode …`), as a
 *                                                 query plan would send it; the reference resolver, if the owner has
 *                                                 one, turns the representation into its own object; then the owner's
 *                                                 resolver answers
 *
 * A resolver gets the context of its own subgraph, which holds the credential of its own service alone
 * (`graph-context.ts`). What it returns settles in time and counts towards the size of the response; long lists take
 * turns.
 */

/** How the executable schema answers a field. */
export interface OwnedField {
  readonly owner: Subgraph;
  readonly declared: DeclaredField;
  /** Represents an object of another subgraph to the owner; null if the object is the owner's own. */
  readonly represent: Represent | null;
  /** Turns a representation into the owner's own object; absent if the representation is enough. */
  readonly resolveReference: ResolveReference | undefined;
}

/** The subgraphs of this process by their names, and the supergraph that they compose. */
export interface LocalGraph {
  readonly map: SupergraphMap;
  readonly subgraphs: ReadonlyMap<string, Subgraph>;
}

const KEY = 'passerelleField';

/** How a field of the executable schema is answered. Throws for a field of another schema. */
export function ownedField({ name, extensions }: GraphQLField<unknown, unknown>): OwnedField {
  const owned = (extensions as { [KEY]?: OwnedField })[KEY];
  if (owned === undefined) throw new Error(`${name} is not a field of the executable schema.`);
  return owned;
}

/**
 * Makes the API schema executable and returns it. Throws where the supergraph cannot be answered in one process, or
 * names a subgraph that is not there.
 */
export function makeExecutable(schema: GraphQLSchema, graph: LocalGraph): GraphQLSchema {
  const owners = findFieldOwners(graph.map);
  const representations = new Map<string, Represent>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isScalarType(type)) adoptScalar(type, graph);
    else if (isAbstractType(type)) adoptTypeResolver(type, graph);
    else if (isObjectType(type)) for (const field of Object.values(type.getFields())) own(type, field);
  }
  return schema;

  function own(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): void {
    const found = owners.of(type.name, field.name);
    if (found === undefined) return;
    const owner = subgraphNamed(graph, found.subgraph);
    const declared = declaredField(fieldOf(owner, type.name, field.name));
    if (owners.origins(type.name).length > 1 && declared.resolve !== null)
      throw new Error(`${type.name}.${field.name} has a resolver, but its objects come from several subgraphs.`);
    const represent = representationOf(type.name, found);
    const owned = { owner, declared, represent, resolveReference: referenceResolver(owner, type.name) };
    field.extensions = { ...field.extensions, [KEY]: owned };
    // graphql-js types the context of a schema's fields as unknown.
    field.resolve = resolverOf(field, owned) as GraphQLFieldResolver<unknown, unknown>;
  }

  /** Joins of one type that need the same of it share their representations. */
  function representationOf(type: string, { join }: FieldOwner): Represent | null {
    if (join === null) return null;
    const name = `${type} ${join.from} ${JSON.stringify(join.needs, (_key, value) => (value instanceof Map ? [...value] : value))}`;
    const known = representations.get(name) ?? compileRepresentation(subgraphNamed(graph, join.from), type, join.needs);
    representations.set(name, known);
    return known;
  }
}

type FieldResolver = GraphQLFieldResolver<unknown, GraphContext, Arguments>;
// biome-ignore lint/suspicious/noExplicitAny: as graphql-js types the arguments of a resolver
type Arguments = any;

function resolverOf(field: GraphQLField<unknown, unknown>, owned: OwnedField): FieldResolver {
  const read = readerOf(field.name, owned);
  const inTurn = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
  return (source, args, context, info) => context.take(read(source, args, context, info), info, inTurn);
}

function readerOf(name: string, owned: OwnedField): FieldResolver {
  const { owner, declared, represent } = owned;
  const { resolve, reads } = declared;
  if (represent !== null) return joinOf(owned, represent);
  if (reads !== 'parent') return callOf(owner, resolve ?? defaultFieldResolver);
  // What reads nothing but its parent needs no context.
  if (resolve !== null) return (source) => resolve(source, NONE, undefined, NO_INFO);
  return (source) =>
    typeof source === 'object' && source !== null
      ? propertyOf(source as Readonly<Record<string, unknown>>, name)
      : undefined;
}

type Resolve = NonNullable<DeclaredField['resolve']>;

function callOf(owner: Subgraph, resolve: Resolve): FieldResolver {
  return (source, args, context, info) => context.enter(owner, info, (own) => resolve(source, args, own, info));
}

/** A field of an object that comes from another subgraph. */
function joinOf({ owner, declared, resolveReference }: OwnedField, represent: Represent): FieldResolver {
  const resolve = declared.resolve ?? defaultFieldResolver;
  return (source, args, context, info) =>
    context.enter(owner, info, (own) =>
      whenThere(represent(source as object), (representation) => {
        const text = textOf(representation);
        return context.once(info.fieldNodes, text, () => {
          const object =
            resolveReference === undefined
              ? representation
              : context.once(resolveReference, text, () => resolveReference(representation, own, info));
          return whenThere(object, (found) =>
            found === null || found === undefined ? null : resolve(found, args, own, info),
          );
        });
      }),
    );
}

type ResolveReference = (reference: object, context: unknown, info: GraphQLResolveInfo) => unknown;

function referenceResolver({ schema }: Subgraph, type: string): ResolveReference | undefined {
  const { apollo } = (schema.getType(type)?.extensions ?? {}) as {
    apollo?: { subgraph?: { resolveReference?: ResolveReference } };
  };
  return apollo?.subgraph?.resolveReference;
}

const NONE: Arguments = {};

function subgraphNamed({ subgraphs }: LocalGraph, name: string): Subgraph {
  const found = subgraphs.get(name);
  if (found === undefined) throw new Error(`The supergraph names a subgraph that is not in this process: ${name}.`);
  return found;
}

function fieldOf({ name, schema }: Subgraph, type: string, field: string): GraphQLField<unknown, unknown> {
  const found = schema.getType(type);
  const owned = isObjectType(found) ? found.getFields()[field] : undefined;
  if (owned === undefined) throw new Error(`The subgraph ${name} has no ${type}.${field}.`);
  return owned;
}

/** Values in and out are those of the subgraphs, which share their scalars. */
function adoptScalar(scalar: GraphQLScalarType, { subgraphs }: LocalGraph): void {
  for (const { schema } of subgraphs.values()) {
    const theirs = schema.getType(scalar.name);
    if (!isScalarType(theirs)) continue;
    scalar.serialize = theirs.serialize;
    scalar.parseValue = theirs.parseValue;
    scalar.parseLiteral = theirs.parseLiteral;
    return;
  }
}

function adoptTypeResolver(type: GraphQLAbstractType, { subgraphs }: LocalGraph): void {
  for (const { schema } of subgraphs.values()) {
    const theirs = schema.getType(type.name);
    if (isAbstractType(theirs) && theirs.resolveType) type.resolveType = theirs.resolveType;
  }
}
