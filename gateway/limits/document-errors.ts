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
    return errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED', introspection));
  } catch (error) {
    if (error instanceof GraphQLError) return [coded(error, 'GRAPHQL_PARSE_FAILED', introspection)];
    throw error;
  }
}

function coded({ message, locations = [] }: GraphQLError, code: string, hints: boolean): GraphQLFormattedError {
  const told = hints ? message : message.replace(/ ?Did you mean(.+?)\?$/, '');
  return { message: told, ...(locations.length > 0 && { locations }), extensions: { code } };
}
