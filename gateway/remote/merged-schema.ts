import { GraphQLError, type GraphQLResolveInfo, type GraphQLSchema, isObjectType, responsePathAsArray } from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { resolverOf } from '../graph/executable-schema.js';
import { type Data, Failure } from './merged-data.js';
import { keyOf, restoreNames } from './planned-operation.js';

/**
 * Makes the API schema answer from merged data: graphql-js then gives the response its shape, the client's names and the
 * order of its fields, answers introspection, and reports each failure at its place, and what a subgraph answered against
 * the schema.
 */
export function answerFromMerged(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = resolverOf(field, (object, _arguments, { root }, info) =>
        read((object as Data | undefined) ?? root, info),
      );
    }
  }
}

function read(object: Data, info: GraphQLResolveInfo): unknown {
  const [node] = info.fieldNodes;
  const key = node && keyOf(node);
  const value = key !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  if (value instanceof Failure) {
    const down = ofDownSource(value, info);
    return down === undefined ? fail(value, info.path) : down;
  }
  if (value === undefined) throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'A source sent nothing for this field.');
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
