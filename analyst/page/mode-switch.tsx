import { useEffect } from 'react';
import { defineTexts, useTexts } from './state/language.js';
import { mode, switchMode } from './state/mode.js';
import { useStore } from './state/store.js';

const TEXTS = defineTexts({
  en: { code: 'Code', hint: 'Show or fold the query and its variables (F2)' },
  fr: { code: 'Code', hint: 'Montrer ou replier la requête et ses variables (F2)' },
});

/** Unfolds the editors, or folds them; F2 does so from anywhere. */
export function ModeSwitch() {
  const { code, hint } = useTexts(TEXTS);
  const isCode = useStore(mode) === 'code';
  useEffect(() => {
    const unmount = new AbortController();
    const follow = (event: KeyboardEvent): void => {
      if (event.key !== 'F2' || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      switchMode();
    };
    // Before the editors, which keep some keys to themselves.
    window.addEventListener('keydown', follow, { signal: unmount.signal, capture: true });
    return () => unmount.abort();
  }, []);
  return (
    <button
      type="button"
      className="pa-top"
      aria-pressed={isCode}
      aria-keyshortcuts="F2"
      title={hint}
      onClick={switchMode}
    >
      {code}
    </button>
  );
}
