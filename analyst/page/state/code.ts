import { createStore } from './store.js';

/** What the editors have, as the page sees it. */
export interface CodeText {
  readonly query: string;
  readonly variables: string;
  /** View, list, filters and order of a link, as JSON. */
  readonly memory?: unknown;
}

/** The query that GraphiQL shall open; null once it has. */
export const opening = createStore<CodeText | null>(null);

/** Opens a query in GraphiQL, in the tab that has it or a new one. */
export function openCode(text: CodeText): void {
  opening.set(text);
}

/** What other parts of the page do with the editors, while there are some. */
export interface Editors {
  read(): CodeText;
  /** Replaces the query in front and runs it. */
  rerun(query: string): void;
  goTo(line: number, column: number): void;
}

/** The editors; null until GraphiQL is loaded. */
export const editors = createStore<Editors | null>(null);
