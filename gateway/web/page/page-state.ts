import { useSyncExternalStore } from 'react';
import type { Asked } from './asking/asked.js';
import { createCaptures } from './asking/captures.js';
import { createKnownQuotas } from './asking/known-quotas.js';
import { createStore, useStore } from './store.js';

/** The forms in which an answer is shown. */
export const VIEWS = ['JSON', 'Table', 'Map', 'Trace'] as const;
export type View = (typeof VIEWS)[number];

/** State of the page that lives as long as it does; nothing of it is stored. */
export const captures = createCaptures();
export const knownQuotas = createKnownQuotas(() => performance.now());
export const activeTab = createStore('');
export const view = createStore<View>('JSON');
/** The list that was chosen in each tab. */
export const chosenLists = createStore<Readonly<Record<string, string>>>({});
/** Told in the status line, such as how following all pages ended. */
export const notice = createStore<{ readonly tab: string; readonly text: string } | null>(null);

/** The answer of the tab in front; undefined while there is none. */
export function useCapture(): Asked | undefined {
  const tab = useStore(activeTab);
  useSyncExternalStore(captures.watch, captures.version);
  return captures.of(tab);
}
