import { Button } from '../elements/button.js';
import { history, keepEntry, removeEntry } from '../state/history.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { ASK_TEXTS } from './texts.js';

/** What was asked in this browser, what is kept first; each opens by its title. */
export function History() {
  const texts = useTexts(ASK_TEXTS);
  const entries = useStore(history);
  const sorted = [...entries.filter(({ isKept }) => isKept), ...entries.filter(({ isKept }) => !isKept)];
  return (
    <section className="pa-panel pa-history">
      <h2>{texts.history}</h2>
      {entries.length === 0 && <p>{texts.historyEmpty}</p>}
      <ul>
        {sorted.map((entry) => (
          <li key={entry.address}>
            <a href={entry.address}>{entry.title}</a>{' '}
            <Button
              aria-pressed={entry.isKept}
              aria-label={`${texts.keep}: ${entry.title}`}
              onClick={() => keepEntry(entry, !entry.isKept)}
            >
              {entry.isKept ? texts.kept : texts.keep}
            </Button>
            <Button aria-label={texts.remove(entry.title)} onClick={() => removeEntry(entry)}>
              ×
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
