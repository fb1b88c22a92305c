import { createStore } from '../store/store.js';
import { type Refusal, readSavedQuery, refusalOf, type SavedQuery } from './saved-query.js';

const STORED = 'passerelle:saved';

/** The saved queries of this browser, by folder and name; the same in all of its windows. */
export const savedQueries = createStore<readonly SavedQuery[]>(stored());

window.addEventListener('storage', ({ key }) => {
  if (key === STORED || key === null) savedQueries.set(stored());
});

/** Changes the saved queries; what another window saved meanwhile stays. Returns why it failed; null if it did not. */
export function changeSaved(change: (queries: readonly SavedQuery[]) => readonly SavedQuery[]): Refusal | null {
  const next = change(stored());
  const text = JSON.stringify(next);
  const refusal = refusalOf({ count: next.length, characters: text.length });
  if (refusal !== null) return refusal;
  try {
    window.localStorage.setItem(STORED, text);
  } catch {
    return 'noStorage';
  }
  savedQueries.set(next);
  return null;
}

function stored(): readonly SavedQuery[] {
  try {
    const all: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(all) ? all.flatMap((entry) => readSavedQuery(entry) ?? []) : [];
  } catch {
    return [];
  }
}
