import {
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type ListValueNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import { createSpreadMeasure } from '../../kernel/selections.js';
import { DOCUMENT_BOUNDS } from '../../runtime/http/request-body.js';
import { MAX_FIELDS, sizeOf } from './operation-cost.js';

/**
 * Limits of one operation, with fragments inlined and equal fields merged. Realistic queries (three joins deep, all
 * fields of a mission) stay well below; anything above costs more to plan than it is worth.
 */
export const LIMITS = {
  /** Nesting of fields. Introspection does not count: the schema bounds its depth. */
  depth: 15,
  /** Root fields. Each may be an upstream search. */
  rootFields: 30,
  aliases: 100,
  fields: MAX_FIELDS,
  /**
   * Fields and fragments of all operations of a document with fragments spread, before merging: measuring or executing
   * an operation visits each of them.
   */
  selections: 20_000,
  /** Lexer tokens. */
  tokens: DOCUMENT_BOUNDS.tokens,
  /** Values that are read of the schema, by the usual lengths of its lists: what tools send at once is half of it. */
  schemaValues: 1_200_000,
  /** Nesting of lists and objects in a literal value. The planner's work doubles with each level. */
  valueDepth: 8,
} as const;

/** Refuses literal values that are nested too deeply. Variables may be: the planner does not look into them. */
const valueLimits: ValidationRule = (context: ValidationContext) => {
  let depth = 0;
  const level = {
    enter(node: ListValueNode | ObjectValueNode) {
      depth += 1;
      if (depth !== LIMITS.valueDepth + 1) return;
      const message = `A value is more than ${LIMITS.valueDepth} lists and objects deep. Send it as a variable.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
    leave() {
      depth -= 1;
    },
  };
  return { ListValue: level, ObjectValue: level };
};

/**
 * Refuses documents with an operation beyond the limits. Part of validation, so that the result is cached with the
 * document; runs on leaving the document, after the rules that reject fragment cycles.
 */
export const operationLimits: ValidationRule = (context: ValidationContext) => ({
  Document: {
    leave({ definitions }) {
      const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
      // Repeated spreads take few characters: measuring operations that fail this check might take far too long.
      if (!checkSelections(operations, context)) return;
      for (const operation of operations) checkSize(operation, context);
    },
  },
});

/** Whether all operations together are within the limit. */
function checkSelections(operations: readonly OperationDefinitionNode[], context: ValidationContext): boolean {
  const sizeOf = createSpreadMeasure((name) => context.getFragment(name));
  const selections = operations.reduce((sum, { selectionSet }) => sum + sizeOf(selectionSet).selections, 0);
  if (selections <= LIMITS.selections) return true;
  const [first, second] = operations;
  const what =
    second === undefined && first !== undefined
      ? `${nameOf(first)} is`
      : 'The operations of this document are together';
  const message = `${what} at least ${LIMITS.selections + 1} selections long; at most ${LIMITS.selections} are allowed.`;
  context.reportError(new GraphQLError(message, { nodes: first ?? null }));
  return false;
}

function nameOf({ name }: OperationDefinitionNode): string {
  return name === undefined ? 'This operation' : `The operation "${name.value}"`;
}

function checkSize(operation: OperationDefinitionNode, context: ValidationContext): void {
  const size = sizeOf(operation, context.getSchema(), (name) => context.getFragment(name));
  for (const [limit, words] of [
    ['depth', 'levels deep'],
    ['rootFields', 'root fields wide'],
    ['aliases', 'aliases long'],
    ['fields', 'fields long'],
    ['schemaValues', 'values of the schema large'],
  ] as const) {
    if (size[limit] <= LIMITS[limit]) continue;
    const atLeast = size.isWhole ? '' : 'at least ';
    const message = `${nameOf(operation)} is ${atLeast}${size[limit]} ${words}; at most ${LIMITS[limit]} are allowed.`;
    context.reportError(new GraphQLError(message, { nodes: operation }));
  }
}

/**
 * Refuses what passes GraphQL validation but fails when it is executed, which would look like an internal error: a kind
 * of operation that the graph does not have, and a number too large for a `Float`. Also refuses an alias that no plain
 * object can have as a key.
 */
const documentRefusals: ValidationRule = (context: ValidationContext) => {
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

/** The rules of this gateway, beside those of the specification. */
export const DOCUMENT_RULES = [operationLimits, valueLimits, documentRefusals];

/** Why a document is refused; empty for a valid one. */
export function documentErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    return validate(schema, document, [...specifiedRules, ...DOCUMENT_RULES]);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** A message of the library, in our words when too many fields share a response key for it to compare them all. */
export function messageOf(message: string): string {
  return message === 'Validation aborted.'
    ? 'Too many fields with the same response key: write each of them once.'
    : message;
}
