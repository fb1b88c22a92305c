/** Labels of rows that stand for a likely recruiter, not for an offer: today's and the seed's (work-study 8.3). */
const RECRUITER_LABELS: ReadonlySet<unknown> = new Set(['recruteurs_lba', 'recruteurs_svc']);

/**
 * Whether a row of the export is a likely recruiter: it has a workplace, but no offer that one could apply to. Today
 * recruiters have the form of offers and a label of their own (work-study 7.6); those of the search have no `offer`.
 */
export function isRecruiterRow(row: unknown): boolean {
  return RECRUITER_LABELS.has(member(member(row, 'identifier'), 'partner_label')) || member(row, 'offer') === undefined;
}

/** The distinct `workplace` objects of some rows, in the order in which they first appear. */
export function workplacesOf(rows: readonly unknown[]): unknown[] {
  const distinct = new Map<string, unknown>();
  for (const row of rows) {
    const workplace = member(row, 'workplace');
    const text = JSON.stringify(workplace);
    if (typeof workplace === 'object' && workplace !== null && !distinct.has(text)) distinct.set(text, workplace);
  }
  return [...distinct.values()];
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}
