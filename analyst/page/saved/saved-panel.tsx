import { Button } from '../elements/button.js';
import { useTexts } from '../state/language.js';
import './saved.css';
import { type FocusEvent, useLayoutEffect, useRef, useState } from 'react';
import { fold } from '../../../kernel/fold.js';
import { download } from '../elements/files.js';
import { SavedFolder, SaveForm } from './saved-item.js';
import {
  foldersOf,
  type ImportReport,
  isSamePlace,
  MAX_FILE_BYTES,
  mergeSaved,
  type Refusal,
  readSavedFile,
  type SavedQuery,
  writeSavedFile,
} from './saved-query.js';
import { changeSaved, useSaved } from './saved-store.js';
import { SAVED_TEXTS } from './texts.js';

/** Saves queries under names, in folders of this browser, and opens them again. */
export function SavedPanel() {
  const texts = useTexts(SAVED_TEXTS);
  const saved = useSaved();
  const { queries, done } = saved;
  const [text, setText] = useState('');
  const [imported, setImported] = useState<Imported | null>(null);
  const found = queries.filter((query) => fits(query, text));
  const focus = useKeptFocus(found);
  return (
    <div className="pa-panel pa-saved" {...focus}>
      <h2 tabIndex={-1}>{texts.title}</h2>
      <SaveForm {...saved} />
      <p role="status">
        {done?.text} {done !== null && done.before.length > 0 && <Button onClick={saved.onUndo}>{texts.undo}</Button>}
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
        <SavedFolder key={folder} {...saved} folder={folder} shown={found.filter((query) => query.folder === folder)} />
      ))}
      <SavedFiles queries={queries} onImport={setImported} />
      {imported !== null && <SavedReport imported={imported} />}
      <p className="pa-note">{texts.kept}</p>
    </div>
  );
}

/** Whether a query has all words of a text in its name, folder, query or variables. */
function fits({ folder, name, query, variables }: SavedQuery, text: string): boolean {
  const searched = fold(`${folder} ${name} ${query} ${variables}`);
  return text
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => searched.includes(fold(word)));
}

/** What happened to a file: a report, or why it was not read. */
type Imported = ImportReport | 'noFile' | 'fileTooLarge' | Refusal;

/** Writes all saved queries to a file, and imports those of a file. */
function SavedFiles({ queries, onImport }: { queries: readonly SavedQuery[]; onImport(imported: Imported): void }) {
  const texts = useTexts(SAVED_TEXTS);
  const input = useRef<HTMLInputElement>(null);
  return (
    <span className="pa-buttons">
      {queries.length > 0 && (
        <Button onClick={() => download(texts.file, 'application/json', [writeSavedFile(queries)])}>
          {texts.exportAll}
        </Button>
      )}
      <Button onClick={() => input.current?.click()}>{texts.importFile}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) void take(file).then(onImport);
          // Allows the same file to be chosen again.
          target.value = '';
        }}
      />
    </span>
  );
}

async function take(file: File): Promise<Imported> {
  if (file.size > MAX_FILE_BYTES) return 'fileTooLarge';
  const found = readSavedFile(await file.text());
  if (found === null) return 'noFile';
  let report: ImportReport | undefined;
  const refusal = changeSaved((queries) => {
    const merged = mergeSaved(queries, found);
    report = merged.report;
    return merged.queries;
  });
  return refusal ?? report ?? 'noFile';
}

/** Names that are listed of each kind. */
const LISTED = 10;

/** What was imported from a file and what was skipped, by name. */
function SavedReport({ imported }: { imported: Imported }) {
  const texts = useTexts(SAVED_TEXTS);
  if (imported === 'noFile' || imported === 'fileTooLarge') return <p role="alert">{texts[imported]}</p>;
  if (typeof imported === 'string') return <p role="alert">{texts.notSaved[imported]}</p>;
  return (
    <ul className="pa-report" role="status">
      <li>
        {texts.imported.taken(imported.taken.length)} <Names of={imported.taken} />
      </li>
      {SKIPPED.filter((kind) => imported[kind].length > 0).map((kind) => (
        <li key={kind}>
          {texts.imported[kind](imported[kind].length)} <Names of={namesOf(imported, kind)} />
        </li>
      ))}
      {imported.unreadable > 0 && <li>{texts.imported.unreadable(imported.unreadable)}</li>}
    </ul>
  );
}

const SKIPPED = ['renamed', 'same', 'noRoom'] as const;

function namesOf({ renamed, ...report }: ImportReport, kind: (typeof SKIPPED)[number]): readonly string[] {
  return kind === 'renamed' ? renamed.map(([name, newName]) => `${name} → ${newName}`) : report[kind];
}

function Names({ of }: { of: readonly string[] }) {
  const texts = useTexts(SAVED_TEXTS);
  if (of.length === 0) return null;
  const further = of.length > LISTED ? [texts.further(of.length - LISTED)] : [];
  return <small>{[...of.slice(0, LISTED), ...further].join(', ')}</small>;
}

/**
 * Keeps the focus in the panel when the pressed element disappears: moves it to the query that appeared, such as a
 * renamed one, else to the one after those that disappeared, else to the last, else to the heading.
 */
function useKeptFocus(shown: readonly SavedQuery[]) {
  const ref = useRef<HTMLDivElement>(null);
  const held = useRef<{ element: Element; at: number } | null>(null);
  const before = useRef(shown);
  const names = () => [...(ref.current?.querySelectorAll<HTMLElement>('.pa-saved-name') ?? [])];
  useLayoutEffect(() => {
    const gone = before.current.length - shown.length;
    const come = shown.findIndex((query) => !before.current.some((one) => isSamePlace(one, query)));
    before.current = shown;
    if (held.current === null || held.current.element.isConnected || document.activeElement !== document.body) return;
    const following = Math.max(0, held.current.at + 1 - Math.max(0, gone));
    const next = names().at(come >= 0 ? come : Math.min(following, shown.length - 1));
    (next ?? ref.current?.querySelector('h2'))?.focus();
  });
  return {
    ref,
    onFocus: ({ target: element }: FocusEvent) => {
      const isBefore = (name: Element) => name.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
      held.current = { element, at: names().filter(isBefore).length - 1 };
    },
  };
}
