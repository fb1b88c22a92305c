import { lazy, Suspense } from 'react';
import { writeFragment } from '../../questions/address.js';
import { Button, Overlay, SignButton } from '../elements/controls.js';
import { useKey, useWindowEvent } from '../elements/effects.js';
import { opening } from '../state/code.js';
import { history, keepEntry, removeEntry } from '../state/history.js';
import { chooseLanguage, LANGUAGES, language, useTexts } from '../state/language.js';
import { chooseMode, mode } from '../state/mode.js';
import { changePage, usePage } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { asking, composeNow } from './asking.js';
import { ASK_TEXTS } from './texts.js';
import { WordsBar } from './words-bar.js';

const SourcesPanel = lazy(async () => ({ default: (await import('../sidebar/sources-panel.js')).SourcesPanel }));

const NAMES = { en: 'English', fr: 'Français' } as const;

/** The one bar of the page: home, the field for words, what was asked, sources, code, language. */
export function TopBar() {
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  const current = useStore(mode);
  const open = usePage(({ panel }) => panel);
  const setOpen = (panel: typeof open): void => changePage({ panel });
  const other = LANGUAGES.find((one) => one !== spoken) ?? spoken;
  const toggle = (name: 'history' | 'sources'): void => setOpen(open === name ? null : name);
  useWindowEvent('hashchange', () => setOpen(null));
  return (
    <header className="pa-bar-top">
      <Button className="pa-skip" onClick={() => document.getElementById('pa-answer')?.focus()}>
        {texts.toAnswer}
      </Button>
      <a className="pa-logo" href={`/?lang=${spoken}`} aria-label={`Passerelle, ${texts.home}`}>
        Passerelle
      </a>
      <WordsBar />
      <span className="pa-buttons">
        <Button className="pa-top" aria-expanded={open === 'history'} onClick={() => toggle('history')}>
          {texts.history}
        </Button>
        <Button className="pa-top" aria-expanded={open === 'sources'} onClick={() => toggle('sources')}>
          {texts.sources}
        </Button>
        <CodeButton isCode={current === 'code'} />
        <Button className="pa-top" lang={other} onClick={() => chooseLanguage(other)}>
          {NAMES[other]}
        </Button>
      </span>
      <Overlay id="pa-side" isOpen={open !== null} onClose={() => setOpen(null)}>
        {open === 'history' && <History />}
        {open === 'sources' && (
          <Suspense fallback={null}>
            <SourcesPanel />
          </Suspense>
        )}
      </Overlay>
    </header>
  );
}

/** Shows the GraphQL of the question in GraphiQL, or goes back to the question. */
function CodeButton({ isCode }: { isCode: boolean }) {
  const texts = useTexts(ASK_TEXTS);
  const go = (): void => {
    if (isCode) {
      const { asked } = asking.get();
      chooseMode('question');
      window.history.pushState(null, '', asked === null ? window.location.pathname : `#${writeFragment(asked)}`);
      return;
    }
    const { composed } = composeNow(asking.get().draft);
    if (composed !== null)
      opening.set({ query: composed.query, variables: JSON.stringify(composed.variables, null, 2) });
    chooseMode('code');
    window.history.pushState(null, '', '#code');
  };
  useKey('F2', go);
  return (
    <Button
      className="pa-top"
      aria-pressed={isCode}
      aria-keyshortcuts="F2"
      title={`${texts.codeOrBack} (F2)`}
      onClick={go}
    >
      {texts.code}
    </Button>
  );
}

/** What was asked in this browser, what is kept first; each opens by its title. */
function History() {
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
            <SignButton label={texts.remove(entry.title)} sign="×" onClick={() => removeEntry(entry)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
