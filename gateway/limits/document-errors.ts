import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { documentRefusals } from './document-refusals.js';
import { LIMITS, operationLimits, valueLimits } from './operation-limits.js';

const RULES = [...specifiedRules, operationLimits, valueLimits, documentRefusals];

/**
 * Why a document is refused, as clients see it; empty for a valid one. Without introspection, the messages do not
 * suggest names from the schema either.
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

/** The library's message when too many fields share a response key for it to compare them all. */
const ABORTED = 'Validation aborted.';
const TOO_MANY_EQUAL = 'Too many fields with the same response key: write each of them once.';

function toCodedError({ message, locations = [] }: GraphQLError, code: string, hints: boolean): GraphQLFormattedError {
  const original = message === ABORTED ? TOO_MANY_EQUAL : message;
  const reported = hints ? original : original.replace(/ ?Did you mean(.+?)\?$/, '');
  return { message: reported, ...(locations.length > 0 && { locations }), extensions: { code } };
}
