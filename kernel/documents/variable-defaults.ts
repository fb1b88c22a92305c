import { type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';

/** The default values of an operation's variables, as written. */
export function defaultsOf({
  variableDefinitions = [],
}: Pick<OperationDefinitionNode, 'variableDefinitions'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}
