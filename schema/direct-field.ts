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
 * Says of a resolver that it reads its parent and nothing else: no arguments, no context, no time. What it returns for
 * a parent that is cached is then computed once.
 */
export function pure<F extends object>(resolve: F): F {
  PURE.add(resolve);
  return resolve;
}

/** How a field is read by who does not run graphql-js. */
export interface DirectField {
  /** Its resolver, as its resource wrote it; null where the property of the parent is the value. */
  readonly resolve: Resolver | null;
  readonly isPure: boolean;
}

const KEY = 'passerelleDirect';

/** Remembers the resolvers of a schema as they are now: later ones may be wrapped for the sake of graphql-js. */
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

/** How a field of a subgraph of ours is read; null for a field of another schema. */
export function directField({ extensions }: GraphQLField<unknown, unknown>): DirectField | null {
  return (extensions as { [KEY]?: DirectField })[KEY] ?? null;
}
