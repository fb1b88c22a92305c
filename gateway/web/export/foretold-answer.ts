import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { type SelectionScope, selectFields } from '../../execution/compiled/selected-fields.js';
import { fragmentsOf } from '../../graph/fragments.js';
import { operationLimits } from '../../limits/operation-limits.js';
import type { Json, JsonObject } from '../rows/path.js';

/** A query whose answer is foretold. */
export interface ForetoldQuestion {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * An answer to the query in which everything is there once: one item in each list, a value for each leaf. Lists and
 * columns read from it are those of any answer, however many nulls it holds. Null for a document that validation
 * refuses as endless or too large.
 */
export function foretellAnswer(schema: GraphQLSchema, question: ForetoldQuestion): JsonObject | null {
  const { document, operation, variables } = question;
  // Validation proper comes later, with its errors; these two keep the walk below from being endless.
  if (validate(schema, document, [NoFragmentCyclesRule, operationLimits]).length > 0) return null;
  const root = schema.getRootType(operation.operation);
  if (!root) return null;
  const flags = { ...defaultsOf(operation), ...variables };
  return objectOf([operation.selectionSet], root, { schema, fragments: fragmentsOf(document), flags });
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
      return [[key, foretoldValue(field.type, inner, scope)]];
    }),
  );
}

/** The type whose `coordinates` are a longitude and a latitude. */
const POINT = 'GeoPoint';

function foretoldValue(type: GraphQLOutputType, sets: readonly SelectionSetNode[], scope: SelectionScope): Json {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [foretoldValue(nullable.ofType, sets, scope)];
  const named = getNamedType(nullable);
  if (isObjectType(named)) return objectOf(sets, named, scope);
  if (!isAbstractType(named)) return '';
  const kinds = scope.schema.getPossibleTypes(named).map((kind) => objectOf(sets, kind, scope));
  return Object.assign({}, ...kinds);
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.BOOLEAN ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );
}
