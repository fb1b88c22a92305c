import { useSyncExternalStore } from 'react';
import type { Table } from '../../rows/table.js';
import { createCaptures } from '../responses/captures.js';
import type { QueryResult } from '../responses/query-result.js';
import type { Sorting } from '../responses/sort-rows.js';
import { createStore, useStore } from '../store/store.js';

/** The views of a response. */
export const VIEWS = ['JSON', 'Table', 'Map', 'Trace'] as const;
/** One of the views. */
export type View = (typeof VIEWS)[number];

/** The last result of each tab. Like all state here, it lasts as long as the page, and is never stored. */
export const captures = createCaptures();
/** Id of the active tab. */
export const activeTab = createStore('');
/** The current view. */
export const view = createStore<View>('JSON');
/** The chosen list of each tab. */
export const chosenLists = createStore<Readonly<Record<string, string>>>({});
/** The chosen row, by its index in the table; shared by map and table. */
export const chosenRow = createStore<{ readonly table: Table; readonly row: number } | null>(null);
/** The chosen order of a table; also used by downloads and links. */
export const chosenOrder = createStore<{ readonly table: Table; readonly sorting: Sorting } | null>(null);
/** Whether the JSON includes the trace. */
export const showsTrace = createStore(false);

/** A message in the status line, shown until the next response. */
export interface Notice {
  readonly tab: string;
  readonly result: QueryResult | undefined;
  readonly text: string;
}

/** The current notice. */
export const notice = createStore<Notice | null>(null);

/** Shows a notice about the current response of a tab, such as how following all pages ended. */
export function notify(text: string, tab = activeTab.get()): void {
  notice.set({ tab, result: captures.of(tab), text });
}

/** The result of the active tab; undefined if there is none. */
export function useCapture(): QueryResult | undefined {
  const tab = useStore(activeTab);
  useSyncExternalStore(captures.watch, captures.version);
  return captures.of(tab);
}
