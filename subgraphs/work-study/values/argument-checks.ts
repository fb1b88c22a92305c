import { isRncpCode, isRomeCode } from '../../codes/certification-codes.js';
import { badUserInput, checkCode, checkScalar } from '../../graph/arguments.js';
import { GraphQLObjectID } from '../../graph/library-scalars.js';
import { EUROPEAN_LEVELS, sourceWord } from './vocabularies.js';

/** Checks of arguments that several work-study searches share. Each throws `BAD_USER_INPUT`, naming the argument. */

/** Refuses anything but a code of the certifications register. Null is valid: it selects those without a code. */
export function checkRncp(rncp: string | null | undefined): void {
  checkCode('rncp', rncp, { isValid: isRncpCode, expected: 'an RNCP code: RNCP and three to five digits' });
}

/** Refuses a list with a malformed code. */
export function checkRomes(romes: readonly string[] | null | undefined): void {
  for (const code of romes ?? []) {
    checkCode('romes', code, { isValid: isRomeCode, expected: 'a list of ROME codes: a capital and four digits each' });
  }
}

/** Refuses anything but an offer's id in the store, in either letter case, as the service does (work-study 7.2). */
export function checkOfferId(id: string): void {
  checkScalar('id', id, {
    scalar: GraphQLObjectID,
    problem: 'is not the id of an offer: 24 hexadecimal characters',
  });
}

/** The source's word for a level; null without one. Throws `BAD_USER_INPUT` for a level unknown to the route. */
export function readLevel(level: string | null | undefined, known: readonly string[]): string | null {
  if (level === null || level === undefined) return null;
  const word = sourceWord(EUROPEAN_LEVELS, level);
  if (word === undefined || !known.includes(word)) {
    throw badUserInput('targetDiplomaLevel', `must be a level from ${known[0]} to ${known.at(-1)}`);
  }
  return word;
}
