import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import {
  accountOf,
  type ByteCounter,
  CachedObject,
  cachedObject,
  type MemoKind,
  memoOf,
  setMemo,
} from '../../kernel/cached-object.js';
import { declaredField, NO_INFO } from '../../kernel/declared-field.js';
import type { Subgraph } from '../../kernel/operation.js';
import { type Awaitable, isPromise, whenThere } from '../../kernel/ready.js';
import type { RequiredFields } from '../../kernel/supergraph.js';

const TEXT = Symbol('text');

type Fields = Readonly<Record<string, unknown>>;

/** An object as a query plan would represent it to another subgraph; cached with the object it was made from. */
export class Representation extends CachedObject {
  /** Equal for objects that the other subgraph cannot tell apart. */
  readonly [TEXT]: string;

  constructor(fields: Fields, account: ByteCounter | null) {
    super(account);
    Object.assign(this, fields);
    this[TEXT] = JSON.stringify(fields);
  }
}

/** The text of a representation: equal for objects that the other subgraph cannot tell apart. */
export function textOf(representation: Representation): string {
  return representation[TEXT];
}

/**
 * The representation of an object, the same one each time if the object is cached; a promise if one of its fields has to
 * be waited for. Throws, or rejects with, the error of a field that failed.
 */
export type Represent = (object: object) => Awaitable<Representation>;

/** Bytes of heap per character of a representation as text: the text itself, and the fields. */
const BYTES_PER_CHARACTER = 5;

/** Compiles the representation of a type's objects, which come from this subgraph. Throws if it needs a call. */
export function compileRepresentation(home: Subgraph, typeName: string, needs: RequiredFields): Represent {
  const type = objectType(home, typeName);
  const pick = compilePick(home, type, needs);
  const kind: MemoKind<Representation> = { weigh: (made) => BYTES_PER_CHARACTER * textOf(made).length };
  return (object) => {
    const cached = cachedObject(object);
    const known = cached === null ? undefined : memoOf(cached, kind);
    if (known !== undefined) return known;
    return whenThere(pick(object), (fields) => {
      const made = new Representation({ __typename: type.name, ...fields }, accountOf(object));
      if (cached !== null) setMemo(cached, kind, made);
      return made;
    });
  };
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
    const { resolve, reads } = declaredField(field);
    if (reads !== 'parent')
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
export function propertyOf(object: Fields, name: string): unknown {
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

const NONE = {};
