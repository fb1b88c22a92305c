import { defineTexts } from '../state/language.js';
import { useWindowEvent } from './effects.js';

/*
 * The page's own keys. They are keys of functions, because every letter with a modifier is a character, a menu or a
 * command of some keyboard, browser or editor. The list of keys that GraphiQL shows has them too (graphiql/patches).
 */

/** What the keys do, in the order in which they are listed. */
export const KEY_TEXTS = defineTexts({
  en: {
    F2: 'Code, or back to the question',
    F8: 'Next view of the answer',
    'Shift-F8': 'Previous view of the answer',
    F9: 'Next tab',
    'Shift-F9': 'Previous tab',
  },
  fr: {
    F2: 'Code, ou retour à la question',
    F8: 'Vue suivante de la réponse',
    'Shift-F8': 'Vue précédente de la réponse',
    F9: 'Onglet suivant',
    'Shift-F9': 'Onglet précédent',
  },
});

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
