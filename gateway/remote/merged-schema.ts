import {
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  responsePathAsArray,
} from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { resolverOf } from '../graph/executable-schema.js';
import { type Data, Failure } from './merged-data.js';
import { keyOf, restoreNames } from './planned-operation.js';

/**
 * Makes the API schema answer from merged data: graphql-js then gives the response its shape, the client's names and the
 * order of its fields, answers introspection, and reports each failure at its place. It also finds what a subgraph
 * answered against the schema: a value of another type, or none.
 */
export function answerFromMerged(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = resolverOf(field, (object, _arguments, { root }, info) =>
        read((object as Data | undefined) ?? root, field.type, info),
      );
    }
  }
}

function read(object: Data, type: GraphQLOutputType, info: GraphQLResolveInfo): unknown {
  const [node] = info.fieldNodes;
  const key = node && keyOf(node);
  const value = key !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  if (value instanceof Failure) {
    const down = ofDownSource(value, info);
    return down === undefined ? fail(value, info.path) : down;
  }
  if (!fits(value, type)) throw invalidValue();
  return Array.isArray(value) ? value.map((item) => (item instanceof Failure ? item.error : item)) : value;
}

function fail({ error, below }: Failure, path: GraphQLResolveInfo['path']): null {
  if (error === null) return null;
  if (below === null || below.length === 0) throw error;
  const restored = below.map((step) => (typeof step === 'string' ? restoreNames(step) : step));
  throw new GraphQLError(error.message, { path: [...responsePathAsArray(path), ...restored], originalError: error });
}

/** The service behind each type of the interface `Source`. */
const SOURCES: ReadonlyMap<string, string> = new Map(SERVICES.map((name) => [SERVICE_ENTRIES[name].source.type, name]));

/** A field of a source about which nothing was answered: its name is known, and why. Undefined for any other failure. */
function ofDownSource({ error, below }: Failure, { parentType, fieldName }: GraphQLResolveInfo): unknown {
  const name = SOURCES.get(parentType.name);
  if (name === undefined || error === null || below !== null) return undefined;
  const known: Data = { id: name, name, state: 'DOWN', detail: error.message };
  return known[fieldName] ?? null;
}

/** Whether a value is of a type. A failure fits, and what is below an object is seen when that is read. */
function fits(value: unknown, type: GraphQLOutputType): boolean {
  if (value instanceof Failure) return true;
  if (isNonNullType(type)) return value !== null && fits(value, type.ofType);
  if (value === null) return true;
  if (isListType(type)) return Array.isArray(value) && value.every((item) => fits(item, type.ofType));
  if (!isLeafType(type)) return typeof value === 'object' && !Array.isArray(value);
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

function invalidValue(): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', 'A source sent a value that does not fit the type of this field.');
}
