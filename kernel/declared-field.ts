import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { unwrap } from './cached-values.js';
import type { FieldPrice } from './price.js';

/**
 * How a resolver map declares a field. What its resolver reads decides what it gets, and what else it has to declare; a
 * field without a resolver is the property of its name.
 */
export type Field<Result, Parent, Context, Arguments> =
  | FromParent<Result, Parent>
  | FromContext<Result, Parent, Context, Arguments>
  | FromSources<Result, Parent, Context, Arguments>
  | Waiting<Result, Parent, Context, Arguments>;

/** A field whose value may be there at once. */
interface AtOnce {
  readonly waits?: false;
}

/** The value follows from the parent alone: no arguments, no context, no time. */
interface FromParent<Result, Parent> extends AtOnce {
  readonly reads: 'parent';
  readonly resolve: (parent: Parent) => Resolved<Result>;
}

/** The value depends on arguments or on the state of this process, and makes no call: its context has no operation. */
interface FromContext<Result, Parent, Context, Arguments> extends AtOnce {
  readonly reads: 'context';
  readonly resolve: (parent: Parent, args: Arguments, context: Omit<Context, 'operation'>) => Resolved<Result>;
}

/** The value may take calls, which are cached or made. */
interface FromSources<Result, Parent, Context, Arguments> extends AtOnce {
  readonly reads: 'sources';
  /** A dry run shows it; it is compared with the calls made. */
  readonly price: FieldPrice;
  readonly resolve: (parent: Parent, args: Arguments, context: Context) => Resolved<Result>;
}

/**
 * The value is never there at once: it takes turns of the event loop, follows from the selection, or takes a call that
 * is never cached. Answers from memory do not start it.
 */
interface Waiting<Result, Parent, Context, Arguments> {
  readonly reads: 'sources';
  readonly price: FieldPrice;
  readonly waits: true;
  readonly resolve: (parent: Parent, args: Arguments, context: Context, info: GraphQLResolveInfo) => Resolved<Result>;
}

type Resolved<Result> = Result | PromiseLike<Result>;

// biome-ignore lint/suspicious/noExplicitAny: fields of any type
type AnyField = Field<any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: resolvers of any parent, context and arguments
type Resolver = GraphQLFieldResolver<any, any, any, any>;

/** What is declared about a field of a subgraph, as executors see it. */
export interface DeclaredField {
  /** What its value follows from; for a field without a resolver and without arguments, its parent. */
  readonly reads: AnyField['reads'];
  /** Its resolver; null where the parent's property of that name is the value. What is ready it returns as a value. */
  readonly resolve: Resolver | null;
  /** Null if it makes no calls. */
  readonly price: FieldPrice | null;
  /** Whether its value is never there at once. */
  readonly waits: boolean;
}

/** Declarations by type and field. What begins with `__` is no field. */
export type FieldMap = Readonly<Record<string, object | undefined>>;

const KEY = 'passerelleDeclared';

/**
 * Remembers what is declared about the fields of a schema, with their resolvers as they are now: these may be wrapped
 * later for graphql-js. Throws for a resolver that is not declared.
 */
export function declareFields(schema: GraphQLSchema, map: FieldMap): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const fields = (map[type.name] ?? {}) as Readonly<Record<string, AnyField | undefined>>;
    for (const field of Object.values(type.getFields())) {
      const declared = declare(field, fields[field.name], type.name);
      field.extensions = { ...field.extensions, [KEY]: declared };
      if (declared.resolve !== null) field.resolve = declared.resolve;
    }
  }
}

function declare(field: GraphQLField<unknown, unknown>, given: AnyField | undefined, type: string): DeclaredField {
  if (given === undefined) return declaredField(field);
  const { resolve = null } = field;
  if (typeof given.reads !== 'string' || resolve === null)
    throw new Error(`${type}.${field.name} has a resolver, but does not declare what it reads.`);
  return {
    reads: given.reads,
    resolve: (parent, args, context, info) => unwrap(resolve(parent, args, context, info)),
    price: 'price' in given ? given.price : null,
    waits: 'waits' in given && given.waits === true,
  };
}

/** What a field's subgraph declares about it. */
export function declaredField({
  resolve = defaultFieldResolver,
  args,
  extensions,
}: GraphQLField<unknown, unknown>): DeclaredField {
  const remembered = (extensions as { [KEY]?: DeclaredField })[KEY];
  if (remembered !== undefined) return remembered;
  const isProperty = resolve === defaultFieldResolver;
  return {
    reads: isProperty && args.length === 0 ? 'parent' : 'context',
    resolve: isProperty ? null : resolve,
    price: null,
    waits: false,
  };
}

/** In place of the fourth argument: a resolver called without an execution of graphql-js is declared not to read it. */
export const NO_INFO = undefined as unknown as GraphQLResolveInfo;
