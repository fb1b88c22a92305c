import { GraphQLError, Kind, type OperationDefinitionNode, type ValidationContext, type ValidationRule } from 'graphql';

/**
 * Refuses what passes GraphQL validation but fails when it is executed, which would look like an internal error: a kind
 * of operation that the graph does not have, and a number too large for a `Float`. Also refuses an alias that no plain
 * object can have as a key.
 */
export const documentRefusals: ValidationRule = (context: ValidationContext) => {
  const refuseInfinite = (node: { readonly value: string }) => {
    if (Number.isFinite(Number(node.value))) return;
    context.reportError(new GraphQLError(`The number ${node.value.slice(0, SHOWN_DIGITS)} is too large.`));
  };
  return {
    OperationDefinition(operation: OperationDefinitionNode) {
      if (context.getSchema().getRootType(operation.operation)) return;
      const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
      const message = `The graph has no ${operation.operation}s.`;
      context.reportError(new GraphQLError(message, { nodes: operation, extensions }));
    },
    Field({ alias }) {
      if (alias?.value === '__proto__')
        context.reportError(new GraphQLError('An alias cannot be __proto__.', { nodes: alias }));
    },
    [Kind.FLOAT]: refuseInfinite,
    [Kind.INT]: refuseInfinite,
  };
};

const SHOWN_DIGITS = 20;
