import { type GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema, isUnionType } from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { isPromise } from '../../kernel/ready.js';
import { inTurns } from '../../runtime/event-loop/turns.js';
import { type OperationScope, requestOf } from './operation-scope.js';

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

  const entities: ReadonlyMap<unknown, GraphQLObjectType> = new Map(union.getTypes().map((type) => [type.name, type]));
  const typeNames = new WeakMap<object, string>();
  union.resolveType = (value: { readonly __typename?: string }) => typeNames.get(value) ?? value.__typename;
  const named = (entity: unknown, { name }: GraphQLObjectType) => {
    if (typeof entity === 'object' && entity !== null) typeNames.set(entity, name);
    return entity;
  };
  field.resolve = (_source, { representations }: { representations: readonly Representation[] }, context, info) =>
    inTurns(requestOf(context as OperationScope), representations, (reference) => {
      const type = entities.get(reference.__typename);
      if (type === undefined)
        return new CodedError('BAD_USER_INPUT', 'A representation names no entity of this subgraph.');
      const entity = resolveOne(reference, type, context, info);
      return isPromise(entity) ? entity.then((resolved) => named(resolved, type)) : named(entity, type);
    });
}

/** As sent: `_Any` accepts everything but null. */
interface Representation {
  readonly __typename?: unknown;
}

/** The entity or a promise of it. Returns errors instead of throwing them. */
function resolveOne(
  reference: Representation,
  type: GraphQLObjectType,
  context: unknown,
  info: GraphQLResolveInfo,
): unknown {
  try {
    const resolveReference = referenceResolver(type);
    return resolveReference === undefined ? reference : resolveReference(reference, context, info);
  } catch (error) {
    // graphql-js treats an Error in a list as the failure of that item.
    return error instanceof Error ? error : new Error('A reference resolver failed.', { cause: error });
  }
}

function referenceResolver(type: GraphQLObjectType): ResolveReference | undefined {
  const { apollo } = type.extensions as { apollo?: { subgraph?: { resolveReference?: ResolveReference } } };
  return apollo?.subgraph?.resolveReference;
}
