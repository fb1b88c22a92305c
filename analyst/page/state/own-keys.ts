import { createStore, type Store } from '../store/store.js';

/** The user's own keys. */
export interface OwnKeys {
  readonly workStudy: string;
  readonly volunteering: string;
}

/** The keys are held only in this variable: never in storage, links or logs. */
export const ownKeys: Store<OwnKeys> = createStore<OwnKeys>({ workStudy: '', volunteering: '' });
