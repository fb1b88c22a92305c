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

/** What a subgraph declares about one of its fields. */
export interface DeclaredField {
  /** Its resolver, unwrapped; null where the parent's property of that name is the value. */
  readonly resolve: Resolver | null;
  /** Whether its value follows from its parent alone. */
  readonly isPure: boolean;
}

const KEY = 'passerelleDeclared';

/** Remembers the resolvers of a schema as they are now: they may be wrapped later for graphql-js. */
export function rememberResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.extensions = { ...field.extensions, [KEY]: declaredField(field) };
    }
  }
}

/** What a field's subgraph declares about it. */
export function declaredField({
  resolve = defaultFieldResolver,
  args,
  extensions,
}: GraphQLField<unknown, unknown>): DeclaredField {
  const remembered = (extensions as { [KEY]?: DeclaredField })[KEY];
  if (remembered !== undefined) return remembered;
  const isDefault = resolve === defaultFieldResolver;
  return { resolve: isDefault ? null : resolve, isPure: isDefault ? args.length === 0 : PURE.has(resolve) };
}
