import { useTexts } from '../language/texts.js';
import type { ImportReport } from './saved-file.js';
import type { Imported } from './saved-files.js';
import { SAVED_TEXTS } from './texts.js';

/** Names that are listed of each kind. */
const LISTED = 10;

/** What was imported from a file and what was skipped, by name. */
export function SavedReport({ imported }: { imported: Imported }) {
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
