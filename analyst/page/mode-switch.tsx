import { KEY_TEXTS, useKey } from './elements/keys.js';
import { useTexts } from './state/language.js';
import { mode, switchMode } from './state/mode.js';
import { useStore } from './state/store.js';

/** Unfolds the editors, or folds them; F2 does so from anywhere. */
export function ModeSwitch() {
  const { F2 } = useTexts(KEY_TEXTS);
  const isCode = useStore(mode) === 'code';
  useKey('F2', switchMode);
  return (
    <button
      type="button"
      className="pa-top"
      aria-pressed={isCode}
      aria-keyshortcuts="F2"
      title={`${F2} (F2)`}
      onClick={switchMode}
    >
      Code
    </button>
  );
}
