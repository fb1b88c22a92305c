import { useGraphiQL } from '@graphiql/react';
import { useState } from 'react';
import { useTexts } from '../language/texts.js';
import { sharedMemory } from '../state/tab-memory.js';
import { useActiveQuery } from '../tabs/active-query.js';
import { PlaceFields } from './place-fields.js';
import { isSamePlace, type Place, type SavedQuery } from './saved-query.js';
import { SAVED_TEXTS } from './texts.js';

/** A function that reads the contents of the active tab, without its name. */
export function useCurrentQuery(): () => Omit<SavedQuery, 'folder' | 'name'> {
  const readQuery = useActiveQuery();
  const operationName = useGraphiQL((state) => state.operationName) ?? null;
  return () => ({ ...readQuery(), operationName, memory: sharedMemory() });
}

interface SaveFormProps {
  queries: readonly SavedQuery[];
  folders: readonly string[];
  onSave(query: SavedQuery): void;
}

/** Saves the query of the active tab under a name; suggests that of its operation. */
export function SaveForm({ queries, folders, onSave }: SaveFormProps) {
  const texts = useTexts(SAVED_TEXTS);
  const current = useCurrentQuery();
  const proposed = useGraphiQL((state) => state.operationName) ?? '';
  const [typed, setTyped] = useState<Partial<Place>>({});
  const place = { folder: '', name: proposed, ...typed };
  const trimmed = { folder: place.folder.trim(), name: place.name.trim() };
  const isKnown = queries.some((query) => isSamePlace(query, trimmed));
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (trimmed.name !== '') onSave({ ...trimmed, ...current() });
    setTyped({ folder: place.folder });
  };
  return (
    <form className="pa-save" onSubmit={submit}>
      <PlaceFields place={place} folders={folders} onChange={(part) => setTyped({ ...typed, ...part })} />
      <button type="submit">{isKnown ? texts.replace : texts.save}</button>
    </form>
  );
}
