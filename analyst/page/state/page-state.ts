import { useSyncExternalStore } from 'react';
import type { ServiceName } from '../../../kernel/services.js';
import type { LayoutRow } from '../../../rows/layout.js';
import type { QueryResult } from './query-result.js';
import { createStore, type Store, useStore } from './store.js';

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
interface Notice {
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

/** How many results are held in memory, besides the text in GraphiQL's own editor. */
const MAX_CAPTURES = 3;
/** Limit on their total size, in bytes of JSON. */
const MAX_CAPTURE_BYTES = 20 * 1024 * 1024;

/** The last result of each tab, for table, map and trace. */
export interface Captures {
  of(tab: string): QueryResult | undefined;
  set(tab: string, result: QueryResult): void;
  delete(tab: string): void;
  /** Whether the tab's result was evicted, and there has been none since. */
  isEvicted(tab: string): boolean;
  /** Protects the tab's result from eviction until the returned function is called. */
  pin(tab: string): () => void;
  /** Increases with every change. */
  version(): number;
  watch(listener: () => void): () => void;
}

/** Creates an empty set. The oldest are evicted first; the newest, whatever its size, and pinned ones stay. */
export function createCaptures(): Captures {
  const results = new Map<string, QueryResult>();
  const evicted = new Set<string>();
  const pinned = new Set<string>();
  const listeners = new Set<() => void>();
  let version = 0;
  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };
  return {
    of: (tab) => results.get(tab),
    set(tab, result) {
      results.delete(tab);
      results.set(tab, result);
      evicted.delete(tab);
      for (const oldest of [...results.keys()].slice(0, -1)) {
        if (results.size <= MAX_CAPTURES && bytesOf(results) <= MAX_CAPTURE_BYTES) break;
        if (pinned.has(oldest)) continue;
        results.delete(oldest);
        evicted.add(oldest);
      }
      changed();
    },
    delete(tab) {
      if (results.delete(tab) || evicted.delete(tab)) changed();
    },
    isEvicted: (tab) => evicted.has(tab),
    pin(tab) {
      pinned.add(tab);
      return () => pinned.delete(tab);
    },
    version: () => version,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function bytesOf(results: ReadonlyMap<string, QueryResult>): number {
  let bytes = 0;
  for (const result of results.values()) bytes += result.bytes;
  return bytes;
}

/** The user's own keys, by service; absent where they typed none. */
export type OwnKeys = Readonly<Partial<Record<ServiceName, string>>>;

/** The keys are held only in this variable: never in storage, links or logs. */
export const ownKeys: Store<OwnKeys> = createStore<OwnKeys>({});
