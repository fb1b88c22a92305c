import { type GraphQLLeafType, isEnumType } from 'graphql';
import { notAtHand } from '../../../schema/at-hand.js';

/** Largest and smallest integer of GraphQL. */
const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

/**
 * Whether a value is serialized unchanged by its type. The library would coerce some others, such as a number where
 * text is declared; those are left to it.
 */
export function fitsLeaf(type: GraphQLLeafType): (value: unknown) => boolean {
  if (isEnumType(type)) return (value) => typeof value === 'string' && type.getValue(value)?.value === value;
  switch (type.name) {
    case 'Int':
      return (value) => Number.isInteger(value) && Number(value) <= MAX_INT && Number(value) >= MIN_INT;
    case 'Float':
      return Number.isFinite;
    case 'Boolean':
      return (value) => typeof value === 'boolean';
    default:
      // All our scalars are text.
      return (value) => typeof value === 'string';
  }
}

/** Writes a leaf that is not null. Throws the signal that ends the run if the value does not fit. */
export function writeLeaf(type: GraphQLLeafType): (value: unknown) => string {
  const fits = fitsLeaf(type);
  return (value) => {
    if (!fits(value)) throw notAtHand('unfit');
    return JSON.stringify(value);
  };
}
