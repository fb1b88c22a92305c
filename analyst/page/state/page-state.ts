import { useSyncExternalStore } from 'react';
import type { LayoutRow } from '../../../rows/layout.js';
import { createCaptures } from '../responses/captures.js';
import type { QueryResult } from '../responses/query-result.js';
import { createStore, useStore } from '../store/store.js';

/** The views of a response. */
export const VIEWS = ['JSON', 'Table', 'Counts', 'Map', 'Trace'] as const;
/** One of the views. */
export type View = (typeof VIEWS)[number];

/** Whether a value is the name of a view. */
export function isView(value: unknown): value is View {
  return VIEWS.some((name) => name === value);
}

/** The last result of each tab. Like all state here, it lasts as long as the page and is never stored. */
export const captures = createCaptures();
/** Id of the active tab. */
export const activeTab = createStore('');
/** The chosen row, marked in map and table. */
export const chosenRow = createStore<LayoutRow | null>(null);
/** Whether the JSON includes the trace. */
export const showsTrace = createStore(false);

/** A message in the status line, shown until the next response. */
export interface Notice {
  readonly tab: string;
  readonly result: QueryResult | undefined;
  /** Returns the message in the page's language at that time. */
  readonly say: Say;
}

/** Words in the page's current language. */
export type Say = () => string;

/** The current notice. */
export const notice = createStore<Notice | null>(null);

/** Shows a notice about the current response of a tab, such as how following all pages ended. */
export function notify(say: Say, tab = activeTab.get()): void {
  notice.set({ tab, result: captures.of(tab), say });
}

/** Removes the notice about the current response of a tab. */
export function dismissNotice(tab = activeTab.get()): void {
  if (notice.get()?.tab === tab) notice.set(null);
}

/** What the status line of the active tab says about its current response; null if nothing. */
export function noticeNow(): Say | null {
  const said = notice.get();
  const tab = activeTab.get();
  return said?.tab === tab && said.result === captures.of(tab) ? said.say : null;
}

/** The result of the active tab; undefined if there is none. */
export function useCapture(): QueryResult | undefined {
  const tab = useStore(activeTab);
  useSyncExternalStore(captures.watch, captures.version);
  return captures.of(tab);
}

/** Whether the result of the active tab was evicted to save memory. */
export function useIsEvicted(): boolean {
  const tab = useStore(activeTab);
  useSyncExternalStore(captures.watch, captures.version);
  return captures.isEvicted(tab);
}
