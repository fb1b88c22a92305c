import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  responsePathAsArray as pathOf,
  type ResponsePath,
} from 'graphql';
import { type Awaitable, isPromise, whenThere } from '../../kernel/awaitable.js';
import { oncePerObject } from '../../kernel/caches.js';
import { type DeclaredField, declaredField } from '../../kernel/declared-field.js';
import type { CodedError } from '../../kernel/errors.js';
import type { Span } from '../../kernel/log.js';
import type { Subgraph } from '../../kernel/operation.js';
import { type FieldOwner, findFieldOwners, type RequiredFields, type SupergraphMap } from '../../kernel/supergraph.js';
import { inUnits } from '../../kernel/text.js';
import { MAX_ERRORS, type Omissions } from '../../runtime/errors.js';
import { inTurns } from '../../runtime/event-loop/turns.js';
import { type GatewayContext, type GatewayRequest, responseTooLarge, settleInTime } from '../request/request.js';

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
 * (`GraphContext`). What it returns settles in time and counts towards the size of the response; long lists take
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
interface LocalGraph {
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
    if (owners.originating(type.name).length > 1 && declared.resolve !== null)
      throw new Error(`${type.name}.${field.name} has a resolver, but its objects come from several subgraphs.`);
    const represent = representationOf(type.name, found);
    const owned = { owner, declared, represent, resolveReference: referenceResolver(owner, type.name) };
    field.extensions = { ...field.extensions, [KEY]: owned };
    const read = readerOf(field.name, owned);
    field.resolve = resolverOf(field, isAbstractType(getNamedType(field.type)) ? atHome(read, owner) : read);
  }

  /** Reads what may be references to objects of other subgraphs, which turn them into their own. */
  function atHome(read: Read, owner: Subgraph): Read {
    return (source, args, context, info) => {
      // Contexts are known by the list of a field's nodes: those of a home are not those of the owner.
      const places = new Map<string, GraphQLResolveInfo>();
      const resolve = (object: unknown) => {
        const { __typename: type = '' } = (object ?? NONE) as { readonly __typename?: string };
        const [home = owner.name] = owners.originating(type);
        const reference = referenceResolver(subgraphNamed(graph, home), type);
        if (home === owner.name || reference === undefined) return object;
        const place = places.get(home) ?? { ...info, fieldNodes: [...info.fieldNodes] };
        places.set(home, place);
        const own = context.enter(subgraphNamed(graph, home), place);
        return whenThere(own === null ? null : reference(object as object, own, place), (found) =>
          found === null ? null : typed(found as object, type),
        );
      };
      return whenThere(read(source, args, context, info), (value) =>
        Array.isArray(value) ? value.map((item) => whenThere(item, resolve)) : resolve(value),
      );
    };
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

/** What the resolvers of the executable schema get. */
export interface ExecutionContext extends GatewayContext {
  readonly graph: GraphContext;
}

/** Reads a field's value. */
export type Read = GraphQLFieldResolver<unknown, GraphContext, Arguments>;
// biome-ignore lint/suspicious/noExplicitAny: as graphql-js types the arguments of a resolver
type Arguments = any;

/** The resolver of a field whose values are read by this function. */
export function resolverOf(
  field: GraphQLField<unknown, unknown>,
  read: Read,
): GraphQLFieldResolver<unknown, unknown, Arguments> {
  const inTurn = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
  return (source, args, context, info) => {
    // graphql-js types the context of a schema's fields as unknown.
    const { graph } = context as ExecutionContext;
    let value: unknown;
    try {
      value = read(source, args, graph, info);
    } catch (error) {
      return graph.fail(error, info);
    }
    return graph.take(value, info, inTurn);
  };
}

function readerOf(name: string, owned: OwnedField): Read {
  const { owner, declared, represent } = owned;
  const { resolve, takesParentOnly } = declared;
  if (represent !== null) return joinOf(owned, represent);
  if (!takesParentOnly) return callOf(owner, resolve ?? defaultFieldResolver);
  // What takes nothing but its parent needs no context.
  if (resolve !== null) return (source) => resolve(source, NONE, undefined, NO_INFO);
  return (source) =>
    typeof source === 'object' && source !== null
      ? propertyOf(source as Readonly<Record<string, unknown>>, name)
      : undefined;
}

type Resolve = NonNullable<DeclaredField['resolve']>;

function callOf(owner: Subgraph, resolve: Resolve): Read {
  return (source, args, context, info) => {
    const own = context.enter(owner, info);
    return own === null ? null : resolve(source, args, own, info);
  };
}

/** A field of an object that comes from another subgraph. */
function joinOf({ owner, declared, resolveReference }: OwnedField, represent: Represent): Read {
  const resolve = declared.resolve ?? defaultFieldResolver;
  return (source, args, context, info) => {
    const own = context.enter(owner, info);
    if (own === null) return null;
    return whenThere(represent(source as object), ({ fields, text }) =>
      context.once(info.fieldNodes, text, () => {
        const object =
          resolveReference === undefined
            ? fields
            : context.once(resolveReference, text, () => resolveReference(fields, own, info));
        return whenThere(object, (found) =>
          found === null || found === undefined ? null : resolve(found, args, own, info),
        );
      }),
    );
  };
}

type ResolveReference = (reference: object, context: unknown, info: GraphQLResolveInfo) => unknown;

function referenceResolver({ schema }: Subgraph, type: string): ResolveReference | undefined {
  const { apollo } = (schema.getType(type)?.extensions ?? {}) as {
    apollo?: { subgraph?: { resolveReference?: ResolveReference } };
  };
  return apollo?.subgraph?.resolveReference;
}

const NONE: Arguments = {};
/** A resolver that takes nothing but its parent does not read it. */
const NO_INFO = undefined as unknown as GraphQLResolveInfo;

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
    const resolve = isAbstractType(theirs) && theirs.resolveType;
    if (resolve) type.resolveType = (object, ...rest) => typeNames.get(object as object) ?? resolve(object, ...rest);
  }
}

/** Types of objects behind references: what their home makes of them does not say it. */
const typeNames = new WeakMap<object, string>();

function typed(object: object, type: string): object {
  typeNames.set(object, type);
  return object;
}

type Fields = Readonly<Record<string, unknown>>;

/** An object as a query plan would represent it to another subgraph. */
interface Representation {
  readonly fields: Fields;
  /** Equal for objects that the other subgraph cannot tell apart. */
  readonly text: string;
}

/**
 * The representation of an object, the same one each time; a promise if one of its fields has to be waited for. Throws,
 * or rejects with, the error of a field that failed.
 */
type Represent = (object: object) => Awaitable<Representation>;

/** Compiles the representation of a type's objects, which come from this subgraph. Throws if it needs a call. */
function compileRepresentation(home: Subgraph, typeName: string, needs: RequiredFields): Represent {
  const type = objectType(home, typeName);
  const pick = compilePick(home, type, needs);
  return oncePerObject((object) =>
    whenThere(pick(object), (picked) => {
      const fields = { __typename: type.name, ...picked };
      return { fields, text: JSON.stringify(fields) };
    }),
  );
}

function objectType({ name, schema }: Subgraph, type: string): GraphQLObjectType {
  const found = schema.getType(type);
  if (!isObjectType(found)) throw new Error(`${type} is not an object type of ${name}.`);
  return found;
}

/** Reads the required fields of an object, as plain values. */
type Pick = (object: object) => Awaitable<Record<string, unknown>>;

function compilePick(home: Subgraph, type: GraphQLObjectType, needs: RequiredFields): Pick {
  const parts = [...needs].map(([name, below]) => {
    const field = type.getFields()[name];
    if (field === undefined) throw new Error(`${home.name} has no ${type.name}.${name}.`);
    const { resolve, takesParentOnly } = declaredField(field);
    if (!takesParentOnly)
      throw new Error(`${type.name}.${name} needs more than its object, so no join may require it.`);
    const read =
      resolve === null
        ? (object: Fields) => propertyOf(object, name)
        : (object: Fields) => resolve(object, NONE, undefined, NO_INFO);
    const inner = getNamedType(field.type);
    const pick = isLeafType(inner) ? null : compilePick(home, objectType(home, inner.name), below);
    return { name, read, plain: plainValue(field.type, pick) };
  });
  return (object) => {
    const picked: Record<string, unknown> = {};
    let waits = false;
    for (const { name, read, plain } of parts) {
      const value = whenThere(read(object as Fields), plain);
      waits ||= isPromise(value);
      picked[name] = value;
    }
    return waits ? settleFields(picked) : picked;
  };
}

async function settleFields(fields: Fields): Promise<Record<string, unknown>> {
  const values = await Promise.all(Object.values(fields));
  return Object.fromEntries(Object.keys(fields).map((name, at) => [name, values[at]]));
}

/** Like graphql-js, calls the property if it is a method. */
function propertyOf(object: Fields, name: string): unknown {
  const value = object[name];
  return typeof value === 'function' ? value.call(object) : value;
}

/** The value as its subgraph would send it. Throws the error that stands for a value, or why it cannot be sent. */
function plainValue(type: GraphQLOutputType, pick: Pick | null): (value: unknown) => Awaitable<unknown> {
  if (isNonNullType(type)) {
    const plain = plainValue(type.ofType, pick);
    return (value) => whenThere(plain(value), (there) => there ?? fail(`a ${type} is null`));
  }
  if (isListType(type)) {
    const plain = plainValue(type.ofType, pick);
    return (value) => {
      if (value === null || value === undefined) return null;
      if (value instanceof Error) throw value;
      if (!Array.isArray(value)) return fail('a list is none');
      const items = value.map((item) => whenThere(item, plain));
      return items.some(isPromise) ? Promise.all(items) : items;
    };
  }
  const serialize = isLeafType(type) ? (value: unknown) => type.serialize(value) : null;
  return (value) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    if (serialize !== null) return serialize(value);
    return typeof value === 'object' && pick !== null ? pick(value) : fail('an object is none');
  };
}

function fail(why: string): never {
  throw new Error(`An object cannot be represented: ${why}.`);
}

/**
 * What the resolvers of one execution share. Each field's resolver gets a context of its own subgraph, with the
 * credential of that service alone; its calls are recorded with the place of the field.
 *
 * graphql-js collects the fields below an object once for each place, so the list of a field's nodes stands for its
 * place: however many rows a list has, its contexts are made once.
 */
export class GraphContext {
  readonly #request: GatewayRequest;
  readonly #maxBytes: number;
  readonly #contexts = new Map<readonly FieldNode[], unknown>();
  readonly #joined = new Map<object, Map<string, unknown>>();
  readonly #omissions: Omissions;
  /** Rejects once the response is too large: what is left of its execution makes no call and no row. */
  readonly whenTooLarge: Promise<never>;
  /** What was fetched for the root fields before the execution, where subgraphs run elsewhere. */
  root: Readonly<Record<string, unknown>> = {};
  /** Why the operation, or a field of it, failed. */
  errors: readonly GraphQLError[] = [];
  #bytes = 0;
  #errors = 0;
  #tooLarge: CodedError | null = null;
  #giveUp: (error: CodedError) => void = () => {};

  /** `maxBytes` is the size of the largest response as JSON; `omissions` gets the errors that it does not list. */
  constructor(request: GatewayRequest, maxBytes: number, omissions: Omissions) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#omissions = omissions;
    this.whenTooLarge = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
  }

  /** A lower bound of the bytes of `data` as JSON, so far: it leaves out what escapes and introspection add. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * What a resolver of a subgraph gets; null once the response is too large, when none is called any more. Throws the
   * reason for a request that has ended.
   */
  enter(subgraph: Subgraph, info: GraphQLResolveInfo): unknown {
    if (this.#tooLarge !== null) return null;
    this.#request.throwIfAborted();
    return this.#contextAt(subgraph, info);
  }

  /**
   * What `resolve` returned or threw for the first of equal representations; `of` is what they are resolved for. A
   * thrown error is the rejection of a promise.
   */
  once(of: object, representation: string, resolve: () => unknown): unknown {
    const known = this.#joined.get(of) ?? new Map<string, unknown>();
    this.#joined.set(of, known);
    if (known.has(representation)) return known.get(representation);
    const value = settled(resolve);
    known.set(representation, value);
    // From then on, equal ones do not wait for it again.
    if (isPromise(value)) value.then((there) => known.set(representation, there), NOTHING);
    return value;
  }

  /**
   * The value of a field, counted towards the size of the response, however joins multiply it. Settles in time: when the
   * request is cut off, the field fails and holds nothing else. `inTurn`: the items of a list are promises once they
   * have taken a turn, since graphql-js would complete thousands of rows in one go.
   */
  take(value: unknown, info: GraphQLResolveInfo, inTurn: boolean): unknown {
    return isPromise(value) ? this.#taken(value, info, inTurn) : this.#counted(value, info, inTurn);
  }

  /** Apart, as functions that refer to a value cost memory wherever they stand: most values are there. */
  #taken(value: PromiseLike<unknown>, info: GraphQLResolveInfo, inTurn: boolean): Promise<unknown> {
    return settleInTime(value, this.#request).then(
      (there) => this.#counted(there, info, inTurn),
      (error: unknown) => this.fail(error, info),
    );
  }

  /** Throws the error of a field; null for one that a response would not list. */
  fail(error: unknown, { path }: GraphQLResolveInfo): null {
    this.#errors += 1;
    if (this.#errors <= MAX_ERRORS) throw error;
    this.#omissions.add(pathOf(path));
    return null;
  }

  #counted(value: unknown, { path }: GraphQLResolveInfo, inTurn: boolean): unknown {
    this.#bytes += (path.key as string).length + FIELD_BYTES + bytesOf(value);
    if (this.#bytes > this.#maxBytes && this.#tooLarge === null) {
      this.#tooLarge = responseTooLarge(`The response would have more than ${inUnits(this.#maxBytes)}.`);
      this.#giveUp(this.#tooLarge);
    }
    return Array.isArray(value) ? this.#listed(value, inTurn) : value;
  }

  #listed(value: readonly unknown[], inTurn: boolean): unknown {
    if (this.#tooLarge !== null) return [];
    if (!inTurn || value.length <= 100) return value.some(isPromise) ? value.map((item) => this.#item(item)) : value;
    return inTurns(this, value, (item: unknown) => this.#item(item));
  }

  #item(item: unknown): unknown {
    if (this.#tooLarge !== null) return null;
    return isPromise(item) ? settleInTime(item, this.#request) : item;
  }

  #contextAt(subgraph: Subgraph, info: GraphQLResolveInfo): unknown {
    const known = this.#contexts.get(info.fieldNodes);
    if (known !== undefined) return known;
    const place = placeOf(info.path);
    const span = this.#request.span && createFieldSpan(this.#request.span, { place, subgraph: subgraph.name });
    const context = subgraph.contextFor(this.#request.operationOf(subgraph.name, place, span ?? undefined, this));
    this.#contexts.set(info.fieldNodes, context);
    return context;
  }
}

function settled(resolve: () => unknown): unknown {
  try {
    return resolve();
  } catch (error) {
    return Promise.reject(error);
  }
}

const NOTHING = () => {};

/** Bytes of JSON that a field has besides its key and value: quotes, colon, comma. */
const FIELD_BYTES = 4;
/** Of an object besides its fields, the last of which has no comma. */
const OBJECT_BYTES = 1;

/** The fewest bytes of JSON that a field's value has, without the fields of objects. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (value === null || value === undefined) return 'null'.length;
  if (!Array.isArray(value)) return typeof value === 'object' ? OBJECT_BYTES : String(value).length;
  let bytes = 1 + value.length;
  for (const item of value) bytes += bytesOf(item);
  return bytes;
}

/** The path of a field in the response, with `@` for the items of lists: `missions.nodes.@.commune`. */
function placeOf(path: ResponsePath): string {
  return pathOf(path)
    .map((step) => (typeof step === 'number' ? '@' : step))
    .join('.');
}

/**
 * The span of one field's calls, for all of its rows. It begins with the first call and ends with the last one, so that
 * what took no call has none.
 */
function createFieldSpan(
  request: Span,
  { place, subgraph }: { readonly place: string; readonly subgraph: string },
): Span {
  let open: Span | null = null;
  let calls = 0;

  function begin(): Span {
    open ??= request.child(`field ${subgraph}`, { 'passerelle.subgraph': subgraph, 'passerelle.place': place });
    return open;
  }

  return {
    get traceparent() {
      return (open ?? request).traceparent;
    },
    tracestate: request.tracestate,
    child(name, attributes) {
      const call = begin().child(name, attributes);
      calls += 1;
      return {
        traceparent: call.traceparent,
        tracestate: call.tracestate,
        child: call.child,
        end(...how) {
          call.end(...how);
          calls -= 1;
          if (calls > 0) return;
          open?.end();
          open = null;
        },
      };
    },
    end: () => open?.end(),
  };
}
