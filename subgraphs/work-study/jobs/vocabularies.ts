/** Closed vocabularies of offers: the source's word → the graph's (seed work-study 2.8). */

export const CONTRACT_TYPES = { Apprentissage: 'APPRENTISSAGE', Professionnalisation: 'PROFESSIONNALISATION' } as const;

export const JOB_REMOTES = { onsite: 'ONSITE', remote: 'REMOTE', hybrid: 'HYBRID' } as const;

/** `Pending` is stored by today's service and shown for an offer by id (work-study 7.2). */
export const JOB_OFFER_STATUSES = {
  Active: 'ACTIVE',
  Filled: 'FILLED',
  Cancelled: 'CANCELLED',
  Pending: 'PENDING',
} as const;

/** The source's word for one of the graph's; undefined for a word that it does not have, `OTHER` above all. */
export function sourceWord(words: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.entries(words).find(([, own]) => own === word)?.[0];
}
