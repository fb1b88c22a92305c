import { createStore } from './store.js';

/** What the page shows beside the answer: the question's form alone, or GraphiQL's editors too. */
export type Mode = 'question' | 'code';

const STORED = 'passerelle:mode';

/** The mode of the page. */
export const mode = createStore<Mode>('code');

/** Sets the mode that was chosen earlier, or else the one that this window had; on a narrow screen the editors are folded. */
export function startMode(): void {
  const wanted = window.localStorage.getItem(STORED) ?? window.sessionStorage.getItem(STORED);
  const usual = window.matchMedia('(max-width: 480px)').matches ? 'question' : 'code';
  set(wanted === 'question' || wanted === 'code' ? wanted : usual);
}

/** Changes to the other mode and remembers it in this browser. */
export function switchMode(): void {
  const chosen = mode.get() === 'code' ? 'question' : 'code';
  window.localStorage.setItem(STORED, chosen);
  set(chosen);
}

/** Unfolds the editors: what changes data is never hidden. */
export function unfold(): void {
  set('code');
}

/** Folds the editors for a query that the user did not write, in this window, unless a mode was chosen. */
export function foldForQuestion(): void {
  if (window.localStorage.getItem(STORED) !== null) return;
  window.sessionStorage.setItem(STORED, 'question');
  set('question');
}

function set(next: Mode): void {
  document.documentElement.dataset['mode'] = next;
  mode.set(next);
}
