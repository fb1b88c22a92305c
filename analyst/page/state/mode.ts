import { createStore } from './store.js';

/** What the page shows: questions, or GraphiQL. */
export type Mode = 'question' | 'code';

const STORED = 'passerelle:mode';

/** The mode of the page. */
export const mode = createStore<Mode>('question');

/** Addresses that lead to GraphiQL: `#code`, a query, and links of this page to one. */
const CODE = /^#(?:code$|query=|[qz]=)/;

/** Sets the mode that the address means, or else the last one that was chosen here. */
export function startMode(): void {
  const { hash } = window.location;
  const isCode = hash === '' ? window.localStorage.getItem(STORED) === 'code' : CODE.test(hash);
  set(isCode ? 'code' : 'question');
}

/** Changes to a mode and remembers it in this browser. */
export function chooseMode(chosen: Mode): void {
  window.localStorage.setItem(STORED, chosen);
  set(chosen);
}

/** Follows an address, without remembering the mode that it needs. */
export function followMode(): void {
  const { hash } = window.location;
  if (hash !== '') set(CODE.test(hash) ? 'code' : 'question');
}

function set(next: Mode): void {
  document.documentElement.dataset['mode'] = next;
  mode.set(next);
}
