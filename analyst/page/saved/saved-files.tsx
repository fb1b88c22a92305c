import { useRef } from 'react';
import { download } from '../elements/download.js';
import { useTexts } from '../language/texts.js';
import { type ImportReport, MAX_FILE_BYTES, mergeSaved, readSavedFile, writeSavedFile } from './saved-file.js';
import type { Refusal, SavedQuery } from './saved-query.js';
import { changeSaved } from './saved-store.js';
import { SAVED_TEXTS } from './texts.js';

/** What happened to a file: a report, or why it was not read. */
export type Imported = ImportReport | 'noFile' | 'fileTooLarge' | Refusal;

interface SavedFilesProps {
  queries: readonly SavedQuery[];
  onImport(imported: Imported): void;
}

/** Writes all saved queries to a file, and imports those of a file. */
export function SavedFiles({ queries, onImport }: SavedFilesProps) {
  const texts = useTexts(SAVED_TEXTS);
  const input = useRef<HTMLInputElement>(null);
  return (
    <span className="pa-buttons">
      {queries.length > 0 && (
        <button type="button" onClick={() => download(texts.file, 'application/json', [writeSavedFile(queries)])}>
          {texts.exportAll}
        </button>
      )}
      <button type="button" onClick={() => input.current?.click()}>
        {texts.importFile}
      </button>
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
