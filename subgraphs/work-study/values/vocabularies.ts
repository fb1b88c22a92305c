/** Closed vocabularies that are also arguments: the source's word → the graph's (work-study 12.2.1 and 12.2.8). */

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

/** The source's word for one of the graph's; undefined if it has none, as for `OTHER`. */
export function sourceWord(words: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.entries(words).find(([, own]) => own === word)?.[0];
}
