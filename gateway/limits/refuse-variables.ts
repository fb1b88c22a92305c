import { type GraphQLError, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';

/** Errors of variables that one answer lists, the notice that there are more included. */
const MOST_VARIABLE_ERRORS = 50;

/**
 * Why the client's variables do not fit their operation: nothing when they do. Whoever reads them afterwards meets no
 * error, and so no list of errors that is as long as the client's own.
 */
export function refuseVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  if (variableDefinitions.length === 0) return [];
  const { errors = [] } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: MOST_VARIABLE_ERRORS - 1,
  });
  return errors;
}
