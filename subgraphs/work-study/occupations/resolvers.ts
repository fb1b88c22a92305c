import { whenThere } from '../../../kernel/awaitable.js';
import { checkLength, checkRange, together } from '../../graph/arguments.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { findOccupations, namedOccupation, occupationNames } from './occupation-names.js';

const MAX_WORDS_LENGTH = 100;
const MAX_OCCUPATIONS = 100;
const FEW_OCCUPATIONS = 10;

/** Occupations by their names, and of offers. */
export const occupationsResolvers: Resolvers = {
  Query: {
    occupationsByName(_root, { words, first }) {
      together(
        () => checkLength('words', words, { min: 1, max: MAX_WORDS_LENGTH }),
        () => checkRange('first', first, { min: 1, max: MAX_OCCUPATIONS }),
      );
      return whenThere(occupationNames(), (names) => findOccupations(names, words, first ?? FEW_OCCUPATIONS));
    },
  },
  Occupation: {
    id: ({ code }) => code,
    parent: ({ code, parent }) => (parent === code ? null : namedOccupation(parent)),
    matchedName: ({ matchedName = null }) => matchedName,
  },
  JobOfferDetails: {
    occupations: ({ romeCodes }) => romeCodes?.flatMap((code) => (code === null ? [] : namedOccupation(code))) ?? null,
  },
};
