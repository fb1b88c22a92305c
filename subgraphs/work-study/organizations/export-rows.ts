import { isRecord } from '../../../schema/is-record.js';

/** Labels of rows that stand for a likely recruiter, not for an offer: today's and the seed's (work-study 8.3). */
const RECRUITER_LABELS: readonly unknown[] = ['recruteurs_lba', 'recruteurs_svc'];

/**
 * Whether a row is a likely recruiter: it has a workplace, but no offer to apply to. In the export recruiters have
 * the form of offers and a label of their own (work-study 7.6); those of a search have no `offer`.
 */
export function isRecruiterRow(row: unknown): boolean {
  if (!isRecord(row)) return false;
  const { identifier, offer } = row;
  return offer === undefined || (isRecord(identifier) && RECRUITER_LABELS.includes(identifier['partner_label']));
}

/** The distinct `workplace` objects of some rows, in the order in which they first appear. */
export function workplacesOf(rows: readonly unknown[]): unknown[] {
  const distinct = new Map<string, unknown>();
  for (const row of rows) {
    const workplace = isRecord(row) ? row['workplace'] : undefined;
    const text = JSON.stringify(workplace);
    if (isRecord(workplace) && !distinct.has(text)) distinct.set(text, workplace);
  }
  return [...distinct.values()];
}
