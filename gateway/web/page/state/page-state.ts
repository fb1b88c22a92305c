import { useSyncExternalStore } from 'react';
import type { Table } from '../../rows/table.js';
import type { Asked } from '../answers/asked.js';
import { createCaptures } from '../answers/captures.js';
import type { Sorting } from '../answers/sort-rows.js';
import { createStore, useStore } from './store.js';

/** The forms in which an answer is shown. */
export const VIEWS = ['JSON', 'Table', 'Map', 'Trace'] as const;
export type View = (typeof VIEWS)[number];

/** State of the page that lives as long as it does; nothing of it is stored. */
export const captures = createCaptures();
export const activeTab = createStore('');
export const view = createStore<View>('JSON');
/** The list that was chosen in each tab. */
export const chosenLists = createStore<Readonly<Record<string, string>>>({});
/** The row that was chosen, by its place in its table: the map and the table show the same one. */
export const chosenRow = createStore<{ readonly table: Table; readonly row: number } | null>(null);
/** The order that was chosen for a table; downloads and links have it too. */
export const chosenOrder = createStore<{ readonly table: Table; readonly sorting: Sorting } | null>(null);
/** Whether the JSON shows the trace too, as the gateway sent it. */
export const showsTrace = createStore(false);

/** What the status line says beside what an answer cost, until there is another answer. */
export interface Notice {
  readonly tab: string;
  readonly asked: Asked | undefined;
  readonly text: string;
}

export const notice = createStore<Notice | null>(null);

/** Says something of the tab's answer as it is now, such as how following all pages ended. */
export function tell(text: string, tab = activeTab.get()): void {
  notice.set({ tab, asked: captures.of(tab), text });
}

/** The answer of the tab in front; undefined while there is none. */
export function useCapture(): Asked | undefined {
  const tab = useStore(activeTab);
  useSyncExternalStore(captures.watch, captures.version);
  return captures.of(tab);
}
