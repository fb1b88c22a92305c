import { useRef, useState } from 'react';
import { useTexts } from '../language/texts.js';
import { useOpenSaved } from './open-saved.js';
import { PlaceFields } from './place-fields.js';
import { useCurrentQuery } from './save-form.js';
import { isSamePlace, type Place, type SavedQuery } from './saved-query.js';
import { SAVED_TEXTS } from './texts.js';

/** What can be done with a saved query. */
export interface SavedActions {
  onMove(from: Place, to: Place): void;
  onUpdate(query: SavedQuery): void;
  onRemove(queries: readonly SavedQuery[]): void;
}

interface SavedItemProps extends SavedActions {
  saved: SavedQuery;
  queries: readonly SavedQuery[];
  folders: readonly string[];
}

/** One saved query: opens, moves, updates and deletes it. */
export function SavedItem(props: SavedItemProps) {
  const { saved, onRemove } = props;
  const texts = useTexts(SAVED_TEXTS);
  const open = useOpenSaved();
  const [isEdited, setEdited] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setEdited(false);
    // The button that was pressed disappears with the form.
    editButton.current?.focus();
  };
  return (
    <>
      <div className="pa-saved-row">
        <button type="button" className="pa-saved-name" title={saved.query.slice(0, 500)} onClick={() => open(saved)}>
          {saved.name}
        </button>
        <button
          ref={editButton}
          type="button"
          aria-label={texts.editHint(saved.name)}
          aria-expanded={isEdited}
          onClick={() => setEdited(!isEdited)}
        >
          {texts.edit}
        </button>
        <button type="button" aria-label={texts.removeHint(saved.name)} onClick={() => onRemove([saved])}>
          {texts.remove}
        </button>
      </div>
      {isEdited && <EditForm {...props} onClose={close} />}
    </>
  );
}

function EditForm({ saved, queries, folders, onMove, onUpdate, onClose }: SavedItemProps & { onClose(): void }) {
  const texts = useTexts(SAVED_TEXTS);
  const current = useCurrentQuery();
  const [place, setPlace] = useState<Place>({ folder: saved.folder, name: saved.name });
  const trimmed = { folder: place.folder.trim(), name: place.name.trim() };
  const isTaken = !isSamePlace(trimmed, saved) && queries.some((query) => isSamePlace(query, trimmed));
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (isTaken || trimmed.name === '') return;
    onMove(saved, trimmed);
    onClose();
  };
  const update = (): void => {
    onUpdate({ ...saved, ...current() });
    onClose();
  };
  return (
    <form className="pa-save" aria-label={texts.editHint(saved.name)} onSubmit={submit}>
      <PlaceFields
        place={place}
        folders={folders}
        problem={isTaken ? texts.taken : null}
        onChange={(part) => setPlace({ ...place, ...part })}
      />
      <span className="pa-buttons">
        <button type="submit">{texts.done}</button>
        <button type="button" onClick={update}>
          {texts.update}
        </button>
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
      </span>
    </form>
  );
}
