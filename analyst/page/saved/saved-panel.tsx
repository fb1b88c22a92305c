import { useState } from 'react';
import { fold } from '../../../rows/cells.js';
import { useTexts } from '../language/texts.js';
import { SaveForm } from './save-form.js';
import { type Imported, SavedFiles } from './saved-files.js';
import { SavedFolder } from './saved-folder.js';
import type { SavedQuery } from './saved-query.js';
import { SavedReport } from './saved-report.js';
import { SAVED_TEXTS } from './texts.js';
import { useKeptFocus } from './use-kept-focus.js';
import { useSaved } from './use-saved.js';
import './saved.css';

/** Saves queries under names, in folders of this browser, and opens them again. */
export function SavedPanel() {
  const texts = useTexts(SAVED_TEXTS);
  const { queries, done, onSave, onUndo, ...actions } = useSaved();
  const [text, setText] = useState('');
  const [imported, setImported] = useState<Imported | null>(null);
  const folders = foldersOf(queries);
  const found = queries.filter((query) => fits(query, text));
  const focus = useKeptFocus(found);
  return (
    <div className="pa-panel pa-saved" {...focus}>
      <h2 tabIndex={-1}>{texts.title}</h2>
      <SaveForm queries={queries} folders={folders} onSave={onSave} />
      <p role="status">
        {done?.text}{' '}
        {done !== null && done.before.length > 0 && (
          <button type="button" onClick={onUndo}>
            {texts.undo}
          </button>
        )}
      </p>
      {queries.length > 0 && (
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <p className="pa-note" role="status">
        {queries.length === 0 ? texts.none : found.length === 0 ? texts.nothing : texts.count(found.length)}
      </p>
      {foldersOf(found).map((folder) => (
        <SavedFolder
          key={folder}
          folder={folder}
          shown={found.filter((query) => query.folder === folder)}
          queries={queries}
          folders={folders}
          {...actions}
        />
      ))}
      <SavedFiles queries={queries} onImport={setImported} />
      {imported !== null && <SavedReport imported={imported} />}
      <p className="pa-note">{texts.kept}</p>
    </div>
  );
}

function foldersOf(queries: readonly SavedQuery[]): string[] {
  return [...new Set(queries.map(({ folder }) => folder))];
}

/** Whether a query has all words of a text in its name, folder, query or variables. */
function fits({ folder, name, query, variables }: SavedQuery, text: string): boolean {
  const searched = fold(`${folder} ${name} ${query} ${variables}`);
  return text
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => searched.includes(fold(word)));
}
