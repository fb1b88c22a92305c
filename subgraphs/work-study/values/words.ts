/** Vocabularies, checks of arguments and identifiers that several resources share. */

import { isRecord } from '../../../kernel/text.js';
import { isRncpCode, isRomeCode } from '../../codes/registers.js';
import { badUserInput, checkCode, checkScalar, eachItem, GraphQLObjectID } from '../../graph/arguments.js';

// Closed vocabularies that are also arguments: the source's word → the graph's (work-study 12.2.1 and 12.2.8).

/** Levels of the European qualifications framework. */
export const EUROPEAN_LEVELS = {
  '1': 'LEVEL_1',
  '2': 'LEVEL_2',
  '3': 'LEVEL_3',
  '4': 'LEVEL_4',
  '5': 'LEVEL_5',
  '6': 'LEVEL_6',
  '7': 'LEVEL_7',
  '8': 'LEVEL_8',
} as const;

/** Types of apprenticeship contract. */
export const CONTRACT_TYPES = { Apprentissage: 'APPRENTISSAGE', Professionnalisation: 'PROFESSIONNALISATION' } as const;

/** Where the work is done. */
export const JOB_REMOTES = { onsite: 'ONSITE', remote: 'REMOTE', hybrid: 'HYBRID' } as const;

/** Today's service also stores `Pending`, and shows it for an offer by id (work-study 7.2). */
export const JOB_OFFER_STATUSES = {
  Active: 'ACTIVE',
  Filled: 'FILLED',
  Cancelled: 'CANCELLED',
  Pending: 'PENDING',
} as const;

/** Labels of likely recruiters in the shape of offers: today's and the seed's (work-study 8.3). */
export const RECRUITER_LABELS: readonly unknown[] = ['recruteurs_lba', 'recruteurs_svc'];

/**
 * Whether a row is a likely recruiter: it has a workplace, but no offer to apply to. In the export recruiters have
 * the form of offers and a label of their own (work-study 7.6); those of a search have no `offer`.
 */
export function isRecruiterRow(row: unknown): boolean {
  if (!isRecord(row)) return false;
  const { identifier, offer } = row;
  return offer === undefined || (isRecord(identifier) && RECRUITER_LABELS.includes(identifier['partner_label']));
}

/** The source's word for one of the graph's; undefined if it has none, as for `OTHER`. */
export function sourceWord(words: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.entries(words).find(([, own]) => own === word)?.[0];
}

// Checks of arguments. Each throws `BAD_USER_INPUT`, naming the argument.

/**
 * A code of the certifications register as the source has it: the number may be given alone, as people write it. Refuses
 * anything else. Null is valid: it selects those without a code.
 */
export function readRncp<Code extends string | null | undefined>(rncp: Code): Code | string {
  const code = typeof rncp === 'string' && /^\d/.test(rncp) ? `RNCP${rncp}` : rncp;
  checkCode('rncp', code, { isValid: isRncpCode, expected: 'an RNCP code: RNCP and three to five digits' });
  return code;
}

/** Refuses a malformed code of an occupation. */
export function checkRome(argument: string, code: string): void {
  checkCode(argument, code, { isValid: isRomeCode, expected: 'a ROME code: a capital and four digits' });
}

/** Refuses a list with a malformed code. */
export function checkRomes(romes: readonly string[] | null | undefined): void {
  eachItem('romes', romes, checkRome);
}

/** Refuses anything but an offer's id in the store, in either letter case, as the service does (work-study 7.2). */
export function checkOfferId(id: string): void {
  checkScalar('id', id, {
    scalar: GraphQLObjectID,
    problem: 'is not the id of an offer: 24 hexadecimal characters',
  });
}

/** The source's word for a level; null without one. Throws `BAD_USER_INPUT` for a level unknown to the route. */
export function readLevel(
  level: string | null | undefined,
  known: readonly string[],
  argument = 'targetDiplomaLevel',
): string | null {
  if (level === null || level === undefined) return null;
  const word = sourceWord(EUROPEAN_LEVELS, level);
  if (word === undefined || !known.includes(word)) {
    throw badUserInput(argument, `must be a level from ${known[0]} to ${known.at(-1)}`);
  }
  return word;
}

/** The id of an object that two codes identify together, with `-` for a missing one; null without either. */
export function pairId(one: string | null | undefined, other: string | null | undefined): string | null {
  const [first, second] = [one ?? null, other ?? null];
  return first === null && second === null ? null : `${first ?? '-'}:${second ?? '-'}`;
}
