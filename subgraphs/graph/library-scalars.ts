import { createRequire } from 'node:module';
import type { GraphQLScalarType } from 'graphql';

/**
 * The scalars of graphql-scalars that check arguments. Required rather than imported: the package has one entry point,
 * and its hundred files load in half the time as CommonJS.
 */
const library: typeof import('graphql-scalars') = createRequire(import.meta.url)('graphql-scalars');

export const {
  GraphQLEmailAddress,
  GraphQLLatitude,
  GraphQLLongitude,
  GraphQLNonEmptyString,
  GraphQLNonNegativeFloat,
  GraphQLNonNegativeInt,
  GraphQLObjectID,
  GraphQLPhoneNumber,
  GraphQLPositiveInt,
  GraphQLURL,
} = library;

/** Whether a scalar accepts a value. The parsed value is unused: scalars round coordinates and normalize addresses. */
export function isAcceptedBy(scalar: GraphQLScalarType, value: unknown): boolean {
  try {
    scalar.parseValue(value);
    return true;
  } catch {
    return false;
  }
}
