import { useWindowEvent } from './effects.js';

/*
 * The page's own keys. They are keys of functions, because every letter with a modifier is a character, a menu or a
 * command of some keyboard, browser or editor.
 */

/** Does something when a key is pressed anywhere, unless a dialog is open. `back` is true if Shift is held. */
export function useKey(key: 'F2' | 'F8' | 'F9', act: (isBack: boolean) => void): void {
  const follow = (event: KeyboardEvent): void => {
    if (event.key !== key || event.altKey || event.ctrlKey || event.metaKey) return;
    if (document.querySelector('dialog[open], [role="dialog"]') !== null) return;
    event.preventDefault();
    event.stopPropagation();
    act(event.shiftKey);
  };
  useWindowEvent('keydown', follow, true);
}
