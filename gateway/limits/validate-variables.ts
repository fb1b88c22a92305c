import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { fragmentsOf } from '../../kernel/selections.js';

/** Variable errors in one response, including the notice that there are more. */
const MAX_VARIABLE_ERRORS = 50;

/** An operation of a validated document, with its variables as they were sent. */
interface SentOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Errors of the client's variables; empty if all are valid. Checking them first, with a limit, keeps the library from
 * producing a list of errors as long as the client's input.
 */
export function validateVariables(sent: SentOperation): readonly GraphQLError[] {
  const { variableDefinitions = [] } = sent.operation;
  if (variableDefinitions.length === 0) return [];
  const { errors = [] } = getVariableValues(sent.schema, variableDefinitions, sent.variables, {
    maxErrors: MAX_VARIABLE_ERRORS - 1,
  });
  return errors.length > 0 ? errors : forbiddenNulls(sent).slice(0, MAX_VARIABLE_ERRORS);
}

/**
 * Variables that are null where null is not allowed. GraphQL lets a nullable variable with a default value be used in a
 * non-null position, and each executor would report its null in a different way.
 */
function forbiddenNulls(sent: SentOperation): GraphQLError[] {
  const nulls = (sent.operation.variableDefinitions ?? []).filter((definition) => isNull(definition, sent.variables));
  if (nulls.length === 0) return [];
  const places = placesWithoutNull(sent);
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const place = places.get(name);
    if (place === undefined) return [];
    return [new GraphQLError(`Variable "$${name}" must not be null: ${place}.`, { nodes: definition })];
  });
}

function isNull(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  variables: SentOperation['variables'],
): boolean {
  if (Object.hasOwn(variables, name.value)) return variables[name.value] === null;
  return defaultValue?.kind === Kind.NULL;
}

/** For each variable used where null is not allowed, one such place. */
type Places = ReadonlyMap<string, string>;

const known = new WeakMap<OperationDefinitionNode, Places>();

/** Found once per document. */
function placesWithoutNull(sent: SentOperation): Places {
  const places = known.get(sent.operation) ?? findPlaces(sent);
  known.set(sent.operation, places);
  return places;
}

function findPlaces({ schema, document, operation }: SentOperation): Places {
  const fragments = fragmentsOf(document);
  const places = new Map<string, string>();
  const spread = new Set<string>();
  const read = (definition: OperationDefinitionNode | FragmentDefinitionNode) => {
    const types = new TypeInfo(schema);
    const typed = visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable({ name }, _key, parent) {
        if (isNonNullType(types.getInputType())) places.set(name.value, placeOf(types, parent));
      },
      FragmentSpread: ({ name }) => void spread.add(name.value),
    });
    visit(definition, typed);
  };
  read(operation);
  // Iterating over a set also visits items that are added meanwhile.
  for (const name of spread) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) read(fragment);
  }
  return places;
}

/** Describes where a variable is used: as an argument's value, or somewhere within it. */
function placeOf(types: TypeInfo, parent: Parent): string {
  const directive = types.getDirective();
  const owner = directive ? `@${directive.name}` : `field "${types.getFieldDef()?.name}"`;
  const isWhole = parent !== undefined && 'kind' in parent && parent.kind === Kind.ARGUMENT;
  const value = `${isWhole ? '' : 'a value in '}argument "${types.getArgument()?.name}"`;
  return `${value} of ${owner} has the type "${types.getInputType()}"`;
}

type Parent = ASTNode | readonly ASTNode[] | undefined;
