import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LIMITS, operationLimits, valueLimits } from './operation-limits.js';
import { plannerRefusals } from './planner-refusals.js';

const RULES = [...specifiedRules, operationLimits, valueLimits, plannerRefusals];

/**
 * Why a document is refused, as clients see it; nothing for a valid one. Without introspection, the errors do not name
 * what the schema has either.
 */
export function documentErrors(
  schema: GraphQLSchema,
  text: string,
  introspection: boolean,
): readonly GraphQLFormattedError[] {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const errors = validate(schema, document, introspection ? RULES : [...RULES, NoSchemaIntrospectionCustomRule]);
    return errors.map((error) => toCodedError(error, 'GRAPHQL_VALIDATION_FAILED', introspection));
  } catch (error) {
    if (error instanceof GraphQLError) return [toCodedError(error, 'GRAPHQL_PARSE_FAILED', introspection)];
    throw error;
  }
}

/** The library's words where fields with one response key are too many to be compared with each other. */
const ABORTED = 'Validation aborted.';
const TOO_MANY_EQUAL = 'Too many fields with the same response key: write each of them once.';

function toCodedError({ message, locations = [] }: GraphQLError, code: string, hints: boolean): GraphQLFormattedError {
  const original = message === ABORTED ? TOO_MANY_EQUAL : message;
  const reported = hints ? original : original.replace(/ ?Did you mean(.+?)\?$/, '');
  return { message: reported, ...(locations.length > 0 && { locations }), extensions: { code } };
}
