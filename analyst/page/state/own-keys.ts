import type { ServiceName } from '../../../kernel/services.js';
import { createStore, type Store } from '../store/store.js';

/** The user's own keys, by service; absent where they typed none. */
export type OwnKeys = Readonly<Partial<Record<ServiceName, string>>>;

/** The keys are held only in this variable: never in storage, links or logs. */
export const ownKeys: Store<OwnKeys> = createStore<OwnKeys>({});
