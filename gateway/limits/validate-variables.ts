import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { flagOf } from '../graph/flags.js';
import { fragmentsOf } from '../graph/fragments.js';

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
  return errors.length > 0 ? errors : nullFlags(sent).slice(0, MAX_VARIABLE_ERRORS);
}

/**
 * Variables of `@skip` and `@include` that are null. One with a default value may be nullable, although the directive
 * takes no null: whoever executes such a selection would each find it out in a way of their own.
 */
function nullFlags({ document, operation, variables }: SentOperation): GraphQLError[] {
  const nulls = (operation.variableDefinitions ?? []).filter(
    ({ variable: { name } }) => Object.hasOwn(variables, name.value) && variables[name.value] === null,
  );
  if (nulls.length === 0) return [];
  const directives = directivesOfFlags(operation, fragmentsOf(document));
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const directive = directives.get(name);
    if (directive === undefined) return [];
    const message = `Variable "$${name}" must not be null: argument "if" of @${directive} has the type "Boolean!".`;
    return [new GraphQLError(message, { nodes: definition })];
  });
}

/** The variables of `@skip` and `@include` in an operation and its fragments, each with one of its directives. */
function directivesOfFlags(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  const spread = new Set<string>();
  const read = (definition: OperationDefinitionNode | FragmentDefinitionNode) =>
    visit(definition, {
      Directive(directive) {
        const flag = flagOf(directive);
        if (flag !== null) flags.set(flag, directive.name.value);
      },
      FragmentSpread: ({ name }) => void spread.add(name.value),
    });
  read(operation);
  // Those that are added on the way are met as well.
  for (const name of spread) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) read(fragment);
  }
  return flags;
}
