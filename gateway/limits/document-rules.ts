import {
  type ASTNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import { spreadSelections } from '../../kernel/selections.js';
import { DOCUMENT_BOUNDS } from '../../runtime/http/request-body.js';
import { MAX_FIELDS, sizeOf } from './operation-cost.js';

/**
 * Limits of one operation, with fragments inlined and equal fields merged. Realistic queries (three joins deep, all
 * fields of a mission) stay well below; anything above costs more to plan than it is worth.
 */
const LIMITS = [
  ['depth', 15, 'levels deep'],
  // Each may be an upstream search.
  ['rootFields', 30, 'root fields wide'],
  ['aliases', 100, 'aliases long'],
  ['fields', MAX_FIELDS, 'fields long'],
  // What tools send at once is half of it.
  ['schemaValues', 1_200_000, 'values of the schema large'],
] as const;

/**
 * Fields and fragments of all operations of a document with fragments spread, before merging: measuring or executing an
 * operation visits each of them.
 */
const MAX_SELECTIONS = 20_000;

/** Nesting of lists and objects in a literal value: the planner's work doubles with each level. */
const MAX_VALUE_DEPTH = 8;

const SHOWN_DIGITS = 20;

/**
 * Refuses documents beyond the limits, and what passes GraphQL validation but fails when it is executed, which would
 * look like an internal error. Part of validation, so that the result is cached with the document.
 */
export const documentLimits: ValidationRule = (context: ValidationContext) => {
  const schema = context.getSchema();
  const refuse = (message: string, nodes: ASTNode | null) => context.reportError(new GraphQLError(message, { nodes }));
  let depth = 0;
  const nested = {
    enter(node: ASTNode) {
      depth += 1;
      if (depth !== MAX_VALUE_DEPTH + 1) return;
      refuse(`A value is more than ${MAX_VALUE_DEPTH} lists and objects deep. Send it as a variable.`, node);
    },
    leave() {
      depth -= 1;
    },
  };
  const number = ({ value }: { readonly value: string }) => {
    if (!Number.isFinite(Number(value))) refuse(`The number ${value.slice(0, SHOWN_DIGITS)} is too large.`, null);
  };
  return {
    ...{ ListValue: nested, ObjectValue: nested, FloatValue: number, IntValue: number },
    Field({ alias }) {
      // No plain object can have it as a key.
      if (alias?.value === '__proto__') refuse('An alias cannot be __proto__.', alias);
    },
    OperationDefinition(node) {
      if (!schema.getRootType(node.operation)) refuse(`The graph has no ${node.operation}s.`, node);
    },
    Document: {
      // After the rules that reject fragment cycles.
      leave(document) {
        const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
        // Repeated spreads take few characters: measuring such operations might take far too long.
        if (spreadSelections(document) > MAX_SELECTIONS) {
          const length = `at least ${MAX_SELECTIONS + 1} selections long; at most ${MAX_SELECTIONS} are allowed`;
          return refuse(`The operations of this document are together ${length}.`, operations[0] ?? null);
        }
        for (const operation of operations) {
          const size = sizeOf(operation, schema, (name) => context.getFragment(name));
          const name = operation.name === undefined ? 'This operation' : `The operation "${operation.name.value}"`;
          const is = size.isWhole ? 'is' : 'is at least';
          for (const [figure, most, unit] of LIMITS) {
            if (size[figure] <= most) continue;
            refuse(`${name} ${is} ${size[figure]} ${unit}; at most ${most} are allowed.`, operation);
          }
        }
      },
    },
  };
};

/** Why a document is refused; empty for a valid one. */
export function documentErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  try {
    return validate(schema, parse(text, { maxTokens: DOCUMENT_BOUNDS.tokens }), [...specifiedRules, documentLimits]);
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
