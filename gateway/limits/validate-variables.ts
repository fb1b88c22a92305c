import { type GraphQLError, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';

/** Variable errors in one response, including the notice that there are more. */
const MAX_VARIABLE_ERRORS = 50;

/**
 * Errors of the client's variables; empty if all are valid. Checking them first, with a limit, keeps the library from
 * producing a list of errors as long as the client's input.
 */
export function validateVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  if (variableDefinitions.length === 0) return [];
  const { errors = [] } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: MAX_VARIABLE_ERRORS - 1,
  });
  return errors;
}
