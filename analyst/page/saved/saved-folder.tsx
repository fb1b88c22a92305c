import { useState } from 'react';
import { useTexts } from '../language/texts.js';
import { type SavedActions, SavedItem } from './saved-item.js';
import { MAX_NAME, type SavedQuery } from './saved-query.js';
import { SAVED_TEXTS } from './texts.js';

interface SavedFolderProps extends SavedActions {
  folder: string;
  /** The queries of the folder that are shown. */
  shown: readonly SavedQuery[];
  queries: readonly SavedQuery[];
  folders: readonly string[];
  onRename(from: string, to: string): void;
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
        <button
          type="button"
          // biome-ignore lint/a11y/noAutofocus: the form that closed had the focus
          autoFocus={wasRenaming}
          onClick={() => {
            setTyped(folder);
            setRenaming(true);
          }}
        >
          {texts.renameFolder}
        </button>
        <button type="button" onClick={() => onRemove(queries.filter((query) => query.folder === folder))}>
          {texts.removeFolder}
        </button>
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
        <button type="button" onClick={() => setTyped(null)}>
          {texts.cancel}
        </button>
      </span>
    </form>
  );
}
