import { createStore, type Store } from './store.js';

/** Keys of the person at the page. They live in this variable: no storage, no link and no log ever sees them. */
export interface OwnKeys {
  readonly workStudy: string;
  readonly volunteering: string;
}

export const ownKeys: Store<OwnKeys> = createStore<OwnKeys>({ workStudy: '', volunteering: '' });
