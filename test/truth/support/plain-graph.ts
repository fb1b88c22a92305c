import {
  astFromValue,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  print,
} from 'graphql';
import { API_SCHEMA, VOLATILE } from './api-schema.js';

/** A response as JSON, whoever sent it. */
export interface PlainResponse {
  readonly data?: unknown;
  readonly errors?: readonly PlainError[];
}

export interface PlainError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
}

/** A field on the way from the root to an object, with its arguments as a query has them. */
interface Step {
  readonly name: string;
  readonly text: string;
}

/** Where an object stands: the fields that lead to it, and the same with the indexes of lists. */
interface Place {
  readonly steps: readonly Step[];
  readonly path: readonly (string | number)[];
}

/** A value below an object: the names of the fields to it, or `... on Type` where the type matters. */
type Leaf = readonly string[];

/**
 * A resolver of every field of the graph over what plain queries found. A plain query follows one field after another,
 * without conditions, aliases or fragments (but for an interface), and reads all values of the objects at its end; an
 * object with an `id`, and a field with arguments, is read by a query of its own. Errors stand where they occurred.
 */
export function createPlainGraph(
  send: (query: string) => Promise<PlainResponse>,
): GraphQLFieldResolver<unknown, unknown> {
  const places = new WeakMap<object, Place>();
  const known = new Map<string, Promise<unknown>>();

  return async (source, values, _context, { parentType, fieldName }) => {
    const field = parentType.getFields()[fieldName] as GraphQLField<unknown, unknown>;
    const { steps, path } = places.get(source as object) ?? { steps: [], path: [] };
    const step = { name: fieldName, text: fieldName + argumentsText(field, values) };
    const place = { steps: [...steps, step], path: [...path, fieldName] };
    const isRead = steps.length > 0 && isReadWithParent(field);
    return placed(isRead ? (source as Record<string, unknown>)[fieldName] : await lookUp(place, field), place);
  };

  async function lookUp({ steps, path }: Place, field: GraphQLField<unknown, unknown>): Promise<unknown> {
    const text = steps.map((step) => step.text).join(' { ');
    if (!known.has(text)) known.set(text, readAll(steps, getNamedType(field.type)));
    let value = await known.get(text);
    for (const key of path) {
      if (value instanceof Error) return value;
      if (typeof value !== 'object' || value === null) throw new Error(`Plain data has nothing at ${path.join('.')}.`);
      value = (value as Record<string | number, unknown>)[key];
    }
    return value;
  }

  /** Remembers where each object of a value stands. */
  function placed(value: unknown, { steps, path }: Place): unknown {
    if (Array.isArray(value)) value.forEach((item, index) => void placed(item, { steps, path: [...path, index] }));
    else if (typeof value === 'object' && value !== null) places.set(value, { steps, path });
    return value;
  }

  /** All values at the end of these steps: of as many fields at once as do not take one another away by an error. */
  async function readAll(steps: readonly Step[], type: GraphQLNamedType): Promise<unknown> {
    return read(steps, isCompositeType(type) ? leavesOf(type) : [[]]);
  }

  async function read(steps: readonly Step[], leaves: readonly Leaf[]): Promise<unknown> {
    const query = queryText(steps, leaves);
    const { data, errors = [] } = await send(query);
    const pathless = errors.find(({ path }) => path === undefined);
    if (pathless !== undefined) throw new Error(`A plain query is refused: ${pathless.message}\n${query}`);
    const bubbled = errors.some(({ path = [] }) => !reaches(data, path));
    if (bubbled && leaves.length > 1) {
      const half = Math.ceil(leaves.length / 2);
      return merged(await read(steps, leaves.slice(0, half)), await read(steps, leaves.slice(half)));
    }
    return errors.reduce((all, error) => withError(all, error.path ?? [], toError(error)), data);
  }
}

/** Whether a field is read with the object that has it: it costs no arguments, and leads to no object with an `id`. */
function isReadWithParent({ type, args }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return args.length === 0 && !(isObjectType(named) && 'id' in named.getFields());
}

function leavesOf(type: GraphQLNamedType): Leaf[] {
  if (isAbstractType(type)) {
    const types = API_SCHEMA.getPossibleTypes(type);
    return types.flatMap((one) => leavesOf(one).map((leaf) => [`... on ${one.name}`, ...leaf]));
  }
  if (!isObjectType(type)) return [[]];
  const fields = Object.values(type.getFields()).filter(
    (field) => isReadWithParent(field) && !VOLATILE.has(`${type.name}.${field.name}`),
  );
  const below = fields.flatMap(({ name, type: of }) => leavesOf(getNamedType(of)).map((leaf) => [name, ...leaf]));
  return [['__typename'], ...below];
}

function argumentsText({ args }: GraphQLField<unknown, unknown>, values: Readonly<Record<string, unknown>>): string {
  const texts = args.flatMap(({ name, type }) => {
    const value = values[name] === undefined ? undefined : astFromValue(values[name], type);
    return value === undefined || value === null ? [] : [`${name}: ${print(value)}`];
  });
  return texts.length === 0 ? '' : `(${texts.join(', ')})`;
}

function queryText(steps: readonly Step[], leaves: readonly Leaf[]): string {
  const inner = selectionText(leaves);
  return `{ ${steps.reduceRight((text, step) => `${step.text}${text === '' ? '' : ` { ${text} }`}`, inner)} }`;
}

function selectionText(leaves: readonly Leaf[]): string {
  const byName = new Map<string, Leaf[]>();
  for (const [name, ...rest] of leaves) {
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), rest]);
  }
  const texts = [...byName].map(([name, below]) => {
    const inner = selectionText(below);
    return inner === '' ? name : `${name} { ${inner} }`;
  });
  return texts.join(' ');
}

/** Whether an error is at a value that is null itself, rather than an object around it. */
function reaches(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Record<string | number, unknown>)[key];
  }
  return true;
}

function withError(value: unknown, [key, ...rest]: readonly (string | number)[], error: Error): unknown {
  if (key === undefined) return error;
  const container = (value ?? (typeof key === 'number' ? [] : {})) as Record<string | number, unknown>;
  container[key] = withError(container[key], rest, error);
  return container;
}

/** Two readings of the same objects as one. What an error took away from one is taken from the other. */
function merged(one: unknown, other: unknown): unknown {
  if (one === null || one === undefined || other instanceof Error) return other ?? one;
  if (typeof one !== 'object' || typeof other !== 'object' || other === null || one instanceof Error) return one;
  for (const [key, value] of Object.entries(other)) {
    (one as Record<string, unknown>)[key] = merged((one as Record<string, unknown>)[key], value);
  }
  return one;
}

function toError({ message, extensions }: PlainError): Error {
  return new GraphQLError(message, { extensions: { code: extensions?.code } });
}
