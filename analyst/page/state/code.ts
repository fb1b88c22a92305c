import type { SharedQuery } from './sharing.js';
import { createStore } from './store.js';

/** The query that GraphiQL shall open, in the tab that has it or a new one; null once it has. */
export const opening = createStore<SharedQuery | null>(null);

/** What other parts of the page do with the editors, while there are some. */
export interface Editors {
  read(): SharedQuery;
  /** Replaces the query in front and runs it. */
  rerun(query: string): void;
  goTo(line: number, column: number): void;
}

/** The editors; null until GraphiQL is loaded. */
export const editors = createStore<Editors | null>(null);
