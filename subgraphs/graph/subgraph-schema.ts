import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  print,
} from 'graphql';
import { isPromise } from '../../kernel/awaitable.js';
import { dayAgo } from '../../kernel/dates.js';
import { declareFields, type FieldMap } from '../../kernel/declared-field.js';
import { CodedError } from '../../kernel/errors.js';
import type { OperationContext } from '../../kernel/operation.js';
import { readSubgraphSdl } from '../../kernel/sdl.js';
import type { ServiceName } from '../../kernel/services.js';
import { inTurns } from '../../runtime/event-loop/turns.js';
import { badUserInput, checkEach } from './arguments.js';
import { sourceResolvers } from './sources.js';

type ApolloResolvers = NonNullable<
  Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown; resolvers?: unknown }>['resolvers']
>;

/**
 * The executable schema of a subgraph: its SDL, the fields of all its resources, its source and the shared scalars. A
 * type may have fields in several resources. Created at the first call and then shared, because it holds no state; what
 * resolvers work on comes with the context of each operation.
 */
export function subgraphSchema(service: ServiceName, resources: readonly FieldMap[]): () => GraphQLSchema {
  let schema: GraphQLSchema | undefined;
  return () => {
    schema ??= makeSchema(service, resources);
    return schema;
  };
}

function makeSchema(service: ServiceName, resources: readonly FieldMap[]): GraphQLSchema {
  const fields: Record<string, object> = {};
  for (const resource of [...resources, sourceResolvers(service)]) {
    for (const [type, own] of Object.entries(resource)) fields[type] = { ...fields[type], ...own };
  }
  const schema = buildSubgraphSchema({
    typeDefs: parse(readSubgraphSdl(service), { noLocation: true }),
    // Each resource's fields are checked against the types generated from its SDL; Apollo's own type is looser.
    resolvers: { ...fields, ...sharedScalars } as ApolloResolvers,
  });
  boundLists(schema);
  declareFields(schema, fields);
  completeListsInTurns(schema);
  resolveEntitiesLean(schema);
  return schema;
}

/** The request that an operation is part of, in which its lists are completed: every subgraph's context has it. */
function requestOf(context: unknown): object {
  return (context as { readonly operation: OperationContext }).operation.request;
}

/** Most items of a list in an argument: every list becomes part of a URL, or of a body that is checked item by item. */
const MAX_ITEMS = 200;
/** Federation's own field is exempt: how many entities to request at once is up to the gateway. */
const ENTITIES = '_entities';

/**
 * Refuses lists of more than 200 items in the arguments of any field, before its resolver runs. The error is
 * `BAD_USER_INPUT` at the field, and names the argument.
 */
function boundLists(schema: GraphQLSchema): void {
  for (const field of fieldsOf(schema)) {
    if (!field.args.some(({ type }) => hasList(type)) || field.name === ENTITIES) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context, info) => {
      checkEach(Object.entries(args), ([name, value]) => checkLists(name, value));
      return resolve(source, args, context, info);
    };
  }
}

/** Whether a value of the type may have a list in it: scalars of our own have none. */
function hasList(type: GraphQLInputType): boolean {
  const inner = getNullableType(type);
  if (isListType(inner)) return true;
  return isInputObjectType(inner) && Object.values(inner.getFields()).some((field) => hasList(field.type));
}

function* fieldsOf(schema: GraphQLSchema): Generator<GraphQLField<unknown, unknown>> {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !type.name.startsWith('__')) yield* Object.values(type.getFields());
}

function checkLists(place: string, value: unknown): void {
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) throw badUserInput(place, `takes at most ${MAX_ITEMS} items`);
    for (const item of value) checkLists(place, item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) checkLists(`${place}.${name}`, inner);
  }
}

/**
 * Yields to the event loop while the objects of long lists are completed; graphql-js would complete thousands of rows
 * and their fields in one go. It receives lists item by item, later items as promises.
 */
function completeListsInTurns(schema: GraphQLSchema): void {
  for (const field of fieldsOf(schema)) {
    if (!isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type))) continue;
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (source, args, context, info) => {
      const list: unknown = resolve(source, args, context, info);
      const request = requestOf(context);
      return list instanceof Promise ? list.then((items) => itemByItem(items, request)) : itemByItem(list, request);
    };
  }
}

function itemByItem(list: unknown, execution: object): unknown {
  return Array.isArray(list) && list.length > 1 ? inTurns(execution, list, (item: unknown) => item) : list;
}

type ResolveReference = (reference: unknown, context: unknown, info: GraphQLResolveInfo) => unknown;

/**
 * Replaces the resolver of `_entities`. Unlike @apollo/subgraph's own it creates no promise per representation, and it
 * isolates failures: an invalid representation, or a reference resolver that throws, fails one entity and not the whole
 * list. Objects that resolvers return are not modified, so they may be frozen or shared.
 */
export function resolveEntitiesLean(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()['_entities'];
  const union = schema.getType('_Entity');
  if (field === undefined || !isUnionType(union)) return;

  for (const type of union.getTypes()) makeKeysNullable(schema, type);
  const entities: ReadonlyMap<unknown, GraphQLObjectType> = new Map(union.getTypes().map((type) => [type.name, type]));
  const typeNames = new WeakMap<object, string>();
  union.resolveType = (value: { readonly __typename?: string }) => typeNames.get(value) ?? value.__typename;
  const named = (entity: unknown, { name }: GraphQLObjectType) => {
    if (typeof entity === 'object' && entity !== null) typeNames.set(entity, name);
    return entity;
  };
  field.resolve = (_source, { representations }: { representations: readonly Representation[] }, context, info) =>
    inTurns(requestOf(context), representations, (reference) => {
      const type = entities.get(reference.__typename);
      if (type === undefined)
        return new CodedError('BAD_USER_INPUT', 'A representation names no entity of this subgraph.');
      const entity = resolveOne(reference, type, context, info);
      return isPromise(entity) ? entity.then((resolved) => named(resolved, type)) : named(entity, type);
    });
}

/**
 * Makes the keys of an entity nullable, here in the subgraph alone: a query plan selects them where no client does, and
 * one that cannot be read must not take the whole object away, only the joins that need it. Where a client selects it,
 * the gateway's schema, in which it is not null, applies.
 */
function makeKeysNullable(schema: GraphQLSchema, type: GraphQLObjectType): void {
  const nodes = [...(type.astNode ? [type.astNode] : []), ...type.extensionASTNodes];
  for (const { name, arguments: given = [] } of nodes.flatMap(({ directives = [] }) => directives)) {
    const fields = given.find((argument) => argument.name.value === 'fields')?.value;
    if (name.value === 'key' && fields?.kind === Kind.STRING)
      makeNullable(schema, type, fields.value.match(/\w+/g) ?? []);
  }
}

/** In all types of its interfaces too: fields of one name that are selected together must be of one type. */
function makeNullable(schema: GraphQLSchema, type: GraphQLObjectType, names: readonly string[]): void {
  const others = type.getInterfaces().flatMap((shared) => [shared, ...schema.getPossibleTypes(shared)]);
  for (const owner of [type, ...others]) {
    for (const field of names.flatMap((name) => owner.getFields()[name] ?? [])) {
      field.type = getNullableType(field.type);
      const inner = getNamedType(field.type);
      if (isObjectType(inner)) makeNullable(schema, inner, names);
    }
  }
}

/** As sent: `_Any` accepts everything but null. */
interface Representation {
  readonly __typename?: unknown;
}

/** The entity or a promise of it. Returns errors instead of throwing them. */
function resolveOne(
  reference: Representation,
  { extensions }: GraphQLObjectType,
  context: unknown,
  info: GraphQLResolveInfo,
): unknown {
  const { apollo } = extensions as { apollo?: { subgraph?: { resolveReference?: ResolveReference } } };
  const resolve = apollo?.subgraph?.resolveReference;
  try {
    return resolve === undefined ? reference : resolve(reference, context, info);
  } catch (error) {
    // graphql-js treats an Error in a list as the failure of that item.
    return error instanceof Error ? error : new Error('A reference resolver failed.', { cause: error });
  }
}

/** Names of the scalars in `shared.graphql`. */
const NAMES = [
  'DateTime',
  'URI',
  'SIRET',
  'SIREN',
  'RNA',
  'INSEECode',
  'PostalCode',
  'ROMECode',
  'RNCPCode',
  'CFDCode',
] as const;

type SharedScalars = Record<(typeof NAMES)[number], GraphQLScalarType>;

/**
 * Resolvers of the shared scalars: text that passes unchanged in both directions, except days relative to today.
 *
 * Input is checked not here but in the resolver that takes it: an error thrown by a scalar fails the subgraph's whole
 * operation, without a path; one thrown by a resolver fails only its own field. So input that is not text is turned
 * into text, which the resolver then refuses.
 */
export const sharedScalars = Object.fromEntries(NAMES.map((name) => [name, textScalar(name)])) as SharedScalars;

function textScalar(name: string): GraphQLScalarType {
  // A moment relative to today, such as `-P30D`, is the day that it is now.
  const read = (text: string) => (name === 'DateTime' && dayAgo(text, Date.now())) || text;
  return new GraphQLScalarType({
    name,
    serialize(value) {
      if (typeof value === 'string') return value;
      // Views have checked their fields, so this is an internal error, not the source's.
      throw new CodedError('INTERNAL', 'A value that should be text is not.');
    },
    parseValue: (value) => read(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : print(node)),
  });
}
