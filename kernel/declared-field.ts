import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import type { Awaitable } from './awaitable.js';
import type { FieldPrice } from './price.js';

/** How a resolver map declares a field: its resolver, which can make calls only if it also declares a price. */
export type Field<Result, Parent, Context, Arguments> =
  | FieldResolver<Result, Parent, Omit<Context, 'operation'>, Arguments>
  | {
      /** What it costs if nothing is cached; a dry run shows it. */
      readonly price: FieldPrice;
      readonly resolve: FieldResolver<Result, Parent, Context, Arguments>;
    };

/** What is cached it returns as a value, what is not as a promise. */
type FieldResolver<Result, Parent, Context, Arguments> = (
  parent: Parent,
  args: Arguments,
  context: Context,
  info: GraphQLResolveInfo,
) => Awaitable<Result>;

// biome-ignore lint/suspicious/noExplicitAny: resolvers of any parent, context and arguments
type Resolver = GraphQLFieldResolver<any, any, any, any>;

/** What is declared about a field of a subgraph, as executors see it. */
export interface DeclaredField {
  /** Its resolver; null where the parent's property of that name is the value. */
  readonly resolve: Resolver | null;
  /** Whether its value follows from its parent alone: its resolver takes nothing else. */
  readonly takesParentOnly: boolean;
  /** Null if it makes no calls. */
  readonly price: FieldPrice | null;
}

/** Declarations by type and field. What begins with `__` is no field. */
export type FieldMap = Readonly<Record<string, object | undefined>>;

const KEY = 'passerelleDeclared';

/** Remembers what is declared about the fields of a schema, whose resolvers may be wrapped later for graphql-js. */
export function declareFields(schema: GraphQLSchema, map: FieldMap): void {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = roots.has(type);
    const fields = (map[type.name] ?? {}) as Readonly<Record<string, Resolver | { price?: FieldPrice } | undefined>>;
    for (const field of Object.values(type.getFields())) {
      const given = fields[field.name];
      const price = typeof given === 'object' ? (given.price ?? null) : null;
      const takes = typeof given === 'object' && 'resolve' in given ? given.resolve : given;
      const declared = { ...declaredField(field), price };
      if (typeof takes === 'function') declared.takesParentOnly = takes.length < 2 && !isRoot;
      field.extensions = { ...field.extensions, [KEY]: declared };
    }
  }
}

/** What a field's subgraph declares about it. */
export function declaredField({ resolve = defaultFieldResolver, args, extensions }: GraphQLField<unknown, unknown>): {
  -readonly [Name in keyof DeclaredField]: DeclaredField[Name];
} {
  const remembered = (extensions as { [KEY]?: DeclaredField })[KEY];
  if (remembered !== undefined) return remembered;
  const isProperty = resolve === defaultFieldResolver;
  return { resolve: isProperty ? null : resolve, takesParentOnly: isProperty && args.length === 0, price: null };
}
