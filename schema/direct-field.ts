import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';

// biome-ignore lint/suspicious/noExplicitAny: resolvers of any parent, context and arguments
type Resolver = GraphQLFieldResolver<any, any, any, any>;

const PURE = new WeakSet<object>();

/**
 * Declares that a resolver reads nothing but its parent: no arguments, no context, no time. Its result for a cached
 * parent is then computed once.
 */
export function pure<F extends object>(resolve: F): F {
  PURE.add(resolve);
  return resolve;
}

/** How to read a field without graphql-js. */
export interface DirectField {
  /** Its resolver, unwrapped; null where the parent's property of that name is the value. */
  readonly resolve: Resolver | null;
  readonly isPure: boolean;
}

const KEY = 'passerelleDirect';

/** Remembers the resolvers of a schema as they are now: they may be wrapped later for graphql-js. */
export function rememberResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve = defaultFieldResolver } = field;
      const isDefault = resolve === defaultFieldResolver;
      const direct: DirectField = {
        resolve: isDefault ? null : resolve,
        isPure: isDefault ? field.args.length === 0 : PURE.has(resolve),
      };
      field.extensions = { ...field.extensions, [KEY]: direct };
    }
  }
}

/** How to read a field of one of our subgraphs; null for a field of another schema. */
export function directField({ extensions }: GraphQLField<unknown, unknown>): DirectField | null {
  return (extensions as { [KEY]?: DirectField })[KEY] ?? null;
}
