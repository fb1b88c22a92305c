import {
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  isUnionType,
} from 'graphql';

type ResolveReference = (reference: unknown, context: unknown, info: GraphQLResolveInfo) => unknown;

/**
 * Gives `_entities` a resolver without the promise per representation of @apollo/subgraph's own,
 * and better manners: a reference resolver that throws at once fails its own entity, not the whole list, and the
 * object that it returns is not written into, so that it may be frozen or shared. Entities behind an interface keep
 * the library's resolver.
 */
export function resolveEntitiesLean(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()['_entities'];
  const union = schema.getType('_Entity');
  if (field?.resolve === undefined || !isUnionType(union)) return;

  const typeNames = new WeakMap<object, string>();
  const libraryResolve: GraphQLFieldResolver<unknown, unknown> = field.resolve;
  union.resolveType = (value: { readonly __typename?: string }) => typeNames.get(value) ?? value.__typename;
  field.resolve = (source, args: { representations: readonly Representation[] }, context, info) => {
    const { representations } = args;
    const types = representations.map(({ __typename }) => schema.getType(__typename));
    if (!types.every(isObjectType)) return libraryResolve(source, args, context, info);
    return representations.map((reference, index) => {
      const type = types[index];
      return type === undefined ? null : resolveOne(reference, type, context, info, typeNames);
    });
  };
}

interface Representation {
  readonly __typename: string;
}

function resolveOne(
  reference: Representation,
  type: GraphQLObjectType,
  context: unknown,
  info: GraphQLResolveInfo,
  typeNames: WeakMap<object, string>,
): unknown {
  const mark = (entity: unknown) => {
    if (typeof entity === 'object' && entity !== null) typeNames.set(entity, type.name);
    return entity;
  };
  try {
    const resolveReference = referenceResolver(type);
    const entity = resolveReference === undefined ? reference : resolveReference(reference, context, info);
    return isPromise(entity) ? entity.then(mark) : mark(entity);
  } catch (error) {
    // graphql-js takes an Error in a list for the failure of that item.
    return error instanceof Error ? error : new Error('A reference resolver failed.', { cause: error });
  }
}

function referenceResolver(type: GraphQLObjectType): ResolveReference | undefined {
  const { apollo } = type.extensions as { apollo?: { subgraph?: { resolveReference?: ResolveReference } } };
  return apollo?.subgraph?.resolveReference;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}
