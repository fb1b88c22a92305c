import { useGraphiQL } from '@graphiql/react';
import { useId, useRef, useState } from 'react';
import { Button } from '../elements/button.js';
import { useQuestion } from '../examples/questions.js';
import { useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { sharedMemory } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { useActiveQuery } from '../tabs/editors.js';
import { useOpenSaved } from '../tabs/open-tab.js';
import { isSamePlace, MAX_NAME, type Place, type SavedQuery } from './saved-query.js';
import type { Saved } from './saved-store.js';
import { SAVED_TEXTS } from './texts.js';

interface SavedItemProps extends Saved {
  saved: SavedQuery;
}

/** One saved query: opens, moves, updates and deletes it. */
function SavedItem(props: SavedItemProps) {
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
        <Button className="pa-saved-name" title={saved.query.slice(0, 500)} onClick={() => open(saved)}>
          {saved.name}
        </Button>
        <Button
          ref={editButton}
          aria-label={texts.editHint(saved.name)}
          aria-expanded={isEdited}
          onClick={() => setEdited(!isEdited)}
        >
          {texts.edit}
        </Button>
        <Button aria-label={texts.removeHint(saved.name)} onClick={() => onRemove([saved])}>
          {texts.remove}
        </Button>
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
        <Button onClick={update}>{texts.update}</Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </span>
    </form>
  );
}

interface SavedFolderProps extends Saved {
  folder: string;
  /** The queries of the folder that are shown. */
  shown: readonly SavedQuery[];
}

/** The saved queries of a folder; those without a folder are listed by themselves. */
export function SavedFolder(props: SavedFolderProps) {
  const { folder, shown } = props;
  const items = (
    <ul>
      {shown.map((saved) => (
        <li key={saved.name}>
          <SavedItem {...props} saved={saved} />
        </li>
      ))}
    </ul>
  );
  if (folder === '') return items;
  return (
    <details open>
      <summary>
        {folder} ({shown.length})
      </summary>
      {items}
      <FolderActions {...props} />
    </details>
  );
}

function FolderActions({ folder, queries, onRename, onRemove }: SavedFolderProps) {
  const texts = useTexts(SAVED_TEXTS);
  const [typed, setTyped] = useState<string | null>(null);
  const [wasRenaming, setRenaming] = useState(false);
  if (typed === null) {
    return (
      <span className="pa-buttons">
        <Button
          // The form that closed had the focus.
          autoFocus={wasRenaming}
          onClick={() => {
            setTyped(folder);
            setRenaming(true);
          }}
        >
          {texts.renameFolder}
        </Button>
        <Button onClick={() => onRemove(queries.filter((query) => query.folder === folder))}>
          {texts.removeFolder}
        </Button>
      </span>
    );
  }
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    onRename(folder, typed.trim());
    setTyped(null);
  };
  return (
    <form className="pa-save" onSubmit={submit}>
      <label>
        {texts.folder}{' '}
        <input
          type="text"
          // biome-ignore lint/a11y/noAutofocus: whoever renames types next
          autoFocus
          maxLength={MAX_NAME}
          placeholder={texts.noFolder}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      <span className="pa-buttons">
        <button type="submit">{texts.done}</button>
        <Button onClick={() => setTyped(null)}>{texts.cancel}</Button>
      </span>
    </form>
  );
}

/** A function that reads the contents of the active tab, without its name. */
function useCurrentQuery(): () => Omit<SavedQuery, 'folder' | 'name'> {
  const readQuery = useActiveQuery();
  const operationName = useGraphiQL((state) => state.operationName) ?? null;
  return () => ({ ...readQuery(), operationName, memory: sharedMemory() });
}

/** Saves the query of the active tab under a name; suggests that of the question, or beside a query its operation's. */
export function SaveForm({ queries, folders, onSave }: Saved) {
  const texts = useTexts(SAVED_TEXTS);
  const current = useCurrentQuery();
  const operation = useGraphiQL((state) => state.operationName) ?? '';
  const question = useQuestion();
  const proposed = useStore(mode) === 'question' ? question.slice(0, MAX_NAME) : operation;
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

interface PlaceFieldsProps {
  place: Place;
  /** Names to suggest. */
  folders: readonly string[];
  /** Why the place cannot be used; null if it can. */
  problem?: string | null;
  onChange(part: Partial<Place>): void;
}

/** Inputs for the name and the folder of a query. */
function PlaceFields({ place, folders, problem = null, onChange }: PlaceFieldsProps) {
  const texts = useTexts(SAVED_TEXTS);
  const id = useId();
  return (
    <>
      <label>
        {texts.name}{' '}
        <input
          type="text"
          required
          maxLength={MAX_NAME}
          value={place.name}
          {...(problem !== null && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` })}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </label>
      <label>
        {texts.folder}{' '}
        <input
          type="text"
          list={`${id}-folders`}
          maxLength={MAX_NAME}
          placeholder={texts.noFolder}
          value={place.folder}
          onChange={({ target }) => onChange({ folder: target.value })}
        />
      </label>
      <datalist id={`${id}-folders`}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      {problem !== null && (
        <p id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
