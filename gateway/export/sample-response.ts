import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  ScalarLeafsRule,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { defaultsOf } from '../../kernel/flags.js';
import { fragmentsOf, type SelectionScope, selectFields } from '../../kernel/selections.js';
import type { Json, JsonObject } from '../../rows/path.js';
import { operationLimits } from '../limits/operation-limits.js';

/** A parsed query with its variables. */
export interface ParsedQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What the fields of a query are selected with. */
export function scopeOf(schema: GraphQLSchema, { document, operation, variables }: ParsedQuery): SelectionScope {
  return { schema, fragments: fragmentsOf(document), flags: { ...defaultsOf(operation), ...variables } };
}

/**
 * Full validation happens later, with its errors. These rules bound the walk below, and refuse selections whose columns
 * would be wrong.
 */
const RULES = [
  ...[NoFragmentCyclesRule, operationLimits],
  ...[FieldsOnCorrectTypeRule, ScalarLeafsRule, KnownFragmentNamesRule, KnownTypeNamesRule],
];

/**
 * A response to the query with one item in each list and a value for each leaf. It has the lists and columns of every
 * response, however many nulls that contains. Null for a document whose selections are invalid or beyond the limits.
 */
export function sampleResponse(schema: GraphQLSchema, query: ParsedQuery): JsonObject | null {
  const { document, operation } = query;
  if (validate(schema, document, RULES, { maxErrors: 1 }).length > 0) return null;
  const root = schema.getRootType(operation.operation);
  if (!root) return null;
  return objectOf([operation.selectionSet], root, scopeOf(schema, query));
}

function objectOf(sets: readonly SelectionSetNode[], type: GraphQLObjectType, scope: SelectionScope): JsonObject {
  const known = type.getFields();
  return Object.fromEntries(
    selectFields(sets, type, scope).flatMap(({ key, name, sets: inner }): [string, Json][] => {
      const field = known[name];
      if (name === '__typename') return [[key, type.name]];
      if (field === undefined) return [];
      if (name === 'lonlat') return [[key, [0, 0]]];
      if (type.name === POINT) return [[key, name === 'type' ? 'Point' : [0, 0]]];
      return [[key, sampleValue(field.type, inner, scope)]];
    }),
  );
}

/** The type whose `coordinates` are a longitude and a latitude. */
const POINT = 'GeoPoint';
/** Values of scalars that are no text, and of dates. */
const SAMPLES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['DateTime', '2026-01-01T00:00:00Z'],
  ['Int', 0],
  ['Float', 0],
  ['Boolean', false],
]);

function sampleValue(type: GraphQLOutputType, sets: readonly SelectionSetNode[], scope: SelectionScope): Json {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [sampleValue(nullable.ofType, sets, scope)];
  const named = getNamedType(nullable);
  if (isObjectType(named)) return objectOf(sets, named, scope);
  if (!isAbstractType(named)) return SAMPLES.get(named.name) ?? '';
  const kinds = scope.schema.getPossibleTypes(named).map((kind) => objectOf(sets, kind, scope));
  return Object.assign({}, ...kinds);
}
