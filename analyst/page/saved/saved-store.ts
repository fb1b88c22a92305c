import { useState } from 'react';
import { useTexts } from '../state/language.js';
import { createStore, useStore } from '../state/store.js';
import {
  foldersOf,
  isSamePlace,
  type Place,
  type Refusal,
  readSavedQuery,
  refusalOf,
  type SavedQuery,
  withFolderMoved,
  withoutQueries,
  withQuery,
} from './saved-query.js';
import { SAVED_TEXTS } from './texts.js';

const STORED = 'passerelle:saved';

/** The saved queries of this browser, by folder and name; the same in all of its windows. */
const savedQueries = createStore<readonly SavedQuery[]>(stored());

window.addEventListener('storage', ({ key }) => {
  if (key === STORED || key === null) savedQueries.set(stored());
});

/** Changes the saved queries; what another window saved meanwhile stays. Returns why it failed; null if it did not. */
export function changeSaved(change: (queries: readonly SavedQuery[]) => readonly SavedQuery[]): Refusal | null {
  const next = change(stored());
  const text = JSON.stringify(next);
  const refusal = refusalOf(next.length, text.length);
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

/** The saved queries, what can be done with them, and what was done last. */
export type Saved = ReturnType<typeof useSaved>;

/** The saved queries of this browser and the actions of their panel. */
export function useSaved() {
  const texts = useTexts(SAVED_TEXTS);
  const queries = useStore(savedQueries);
  const [done, setDone] = useState<{ readonly text: string; readonly before: readonly SavedQuery[] } | null>(null);
  const change = (next: Parameters<typeof changeSaved>[0], text: string, before: readonly SavedQuery[] = []): void => {
    const refusal = changeSaved(next);
    setDone(refusal === null ? { text, before } : { text: texts.notSaved[refusal], before: [] });
  };
  const put = (query: SavedQuery, text: string): void =>
    change(
      (all) => withQuery(all, query),
      text,
      queries.filter((one) => isSamePlace(one, query)),
    );
  return {
    queries,
    /** Names of the folders. */
    folders: foldersOf(queries),
    done,
    onSave: (query: SavedQuery) => put(query, texts.saved(query.name)),
    onUpdate: (query: SavedQuery) => put(query, texts.updated(query.name)),
    onRemove: (removed: readonly SavedQuery[]) =>
      change((all) => withoutQueries(all, removed), texts.removed(removed.length, removed[0]?.name ?? ''), removed),
    onMove: (from: Place, to: Place) =>
      change((all) => {
        const moved = all.filter((query) => isSamePlace(query, from));
        return moved.reduce((rest, query) => withQuery(rest, { ...query, ...to }), withoutQueries(all, moved));
      }, texts.saved(to.name)),
    onRename: (from: string, to: string) => change((all) => withFolderMoved(all, from, to), texts.saved(to)),
    onUndo: () => change((all) => (done?.before ?? []).reduce<readonly SavedQuery[]>(withQuery, all), ''),
  };
}
