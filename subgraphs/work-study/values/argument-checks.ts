import { isRncpCode, isRomeCode } from '../../codes/certification-codes.js';
import { badUserInput, checkCode, checkScalar } from '../../graph/arguments.js';
import { GraphQLObjectID } from '../../graph/library-scalars.js';
import { EUROPEAN_LEVELS, sourceWord } from './vocabularies.js';

/** Checks of arguments that several searches of work-study share. Each throws `BAD_USER_INPUT` naming the argument. */

/** Refuses what is no code of the register of certifications; null selects those without one. */
export function checkRncp(rncp: string | null | undefined): void {
  checkCode('rncp', rncp, { isValid: isRncpCode, expected: 'an RNCP code: RNCP and three to five digits' });
}

/** Refuses the whole list for one code that is malformed. */
export function checkRomes(romes: readonly string[] | null | undefined): void {
  for (const code of romes ?? []) {
    checkCode('romes', code, { isValid: isRomeCode, expected: 'a list of ROME codes: a capital and four digits each' });
  }
}

/** An offer's id in the service's store, in either letter case: the service refuses all else (work-study 7.2). */
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
