import type { GraphQLSchema } from 'graphql';
import { useSyncExternalStore } from 'react';
import type { ServiceName } from '../../../kernel/services.js';
import type { LayoutRow } from '../../../rows/layout.js';
import { type QueryResult, type Results, withResult } from './query-result.js';
import { createStore } from './store.js';
import {
  type ListMemory,
  type Memories,
  NEW_TAB,
  storedMemories,
  storeMemories,
  type TabMemory,
  UNTOUCHED,
  withMemory,
} from './tab-memory.js';

/** What the page knows beside GraphiQL's own state. Only the memories of tabs are stored; the rest ends with the page. */
export interface PageState {
  /** Id of the active tab. */
  readonly tab: string;
  readonly results: Results;
  /** The graph, once GraphiQL has read it. */
  readonly schema: GraphQLSchema | null;
  /** Tabs whose request is on its way. */
  readonly running: ReadonlySet<string>;
  readonly notice: Notice | null;
  /** The panel that is open below the bar. */
  readonly panel: 'history' | 'sources' | null;
  /** The list whose pages are being followed; there is at most one. */
  readonly following: Following | null;
  /** What the user chose in each tab. */
  readonly memories: Memories;
  /** The chosen row, marked in map and table. */
  readonly row: LayoutRow | null;
  /** Whether files of a question have the names and codes of the graph instead of those of the page. */
  readonly filesHaveCodes: boolean;
  /** Whether the JSON includes the trace. */
  readonly showsTrace: boolean;
  /** The keys are held only here: never in storage, links or logs. */
  readonly keys: OwnKeys;
}

/** A message in the status line, shown until the next response. */
interface Notice {
  readonly tab: string;
  readonly result: QueryResult | undefined;
  readonly say: Say;
}

/** Words in the language that the page has when they are said. */
export type Say = () => string;

/** A list whose pages are being followed. */
export interface Following {
  readonly tab: string;
  readonly progress: Progress;
  cancel(): void;
}

/** Progress of following the pages. */
export interface Progress {
  readonly rows: number;
  /** Total number of rows, up to the cap; null if the source does not report it. */
  readonly of: number | null;
  readonly calls: number;
}

/** The user's own keys, by service; absent where they typed none. */
export type OwnKeys = Readonly<Partial<Record<ServiceName, string>>>;

/** The state of the page. */
export const page = createStore<PageState>({
  tab: '',
  results: new Map(),
  schema: null,
  running: new Set(),
  notice: null,
  panel: null,
  following: null,
  memories: storedMemories(),
  row: null,
  filesHaveCodes: false,
  showsTrace: false,
  keys: {},
});

/** A part of the state, as a React hook. */
export function usePage<T>(select: (state: PageState) => T): T {
  return useSyncExternalStore(page.watch, () => select(page.get()));
}

/** Changes some of the state. */
export function changePage(part: Partial<PageState>): void {
  page.set({ ...page.get(), ...part });
}

/** The result of a tab; undefined if there is none. */
export function resultOf(tab: string): QueryResult | undefined {
  return page.get().results.get(tab);
}

/** The result of the active tab; undefined if there is none. */
export function useResult(): QueryResult | undefined {
  return usePage(({ results, tab }) => results.get(tab));
}

/** Sets the result of a tab. */
export function setResult(tab: string, result: QueryResult): void {
  const { results, following } = page.get();
  // The pages that are read for a tab would be lost with its result.
  changePage({ results: withResult(results, tab, result, following?.tab) });
}

/** Notes that the request of a tab is on its way, or no longer. */
export function setRunning(tab: string, isRunning: boolean): void {
  const others = [...page.get().running].filter((other) => other !== tab);
  changePage({ running: new Set(isRunning ? [...others, tab] : others) });
}

/** Shows a notice about the current response of a tab, such as how following all pages ended. */
export function notify(say: Say, tab = page.get().tab): void {
  changePage({ notice: { tab, result: resultOf(tab), say } });
}

/** Removes the notice about the current response of a tab. */
export function dismissNotice(tab = page.get().tab): void {
  if (page.get().notice?.tab === tab) changePage({ notice: null });
}

/** What the status line of the active tab says about its current response; null if nothing. */
export function noticeIn({ notice, tab, results }: PageState): Say | null {
  return notice?.tab === tab && notice.result === results.get(tab) ? notice.say : null;
}

/** The memory of the active tab, as a React hook. */
export function useTabMemory(): TabMemory {
  return usePage(({ memories, tab }) => memories[tab] ?? NEW_TAB);
}

/** Changes the memory of a tab, here and in storage. */
export function remember(change: Partial<TabMemory>, tab = page.get().tab): void {
  changeMemory(tab, (memory) => ({ ...memory, ...change }));
}

/** Changes what is chosen for a list of the active tab. */
export function rememberList(path: string, change: Partial<ListMemory>): void {
  changeMemory(page.get().tab, ({ lists, ...memory }) => ({
    ...memory,
    lists: { ...lists, [path]: { ...(lists[path] ?? UNTOUCHED), ...change } },
  }));
}

/** Changes a tab's memory here and, separately, in storage, where what another window stored meanwhile stays. */
function changeMemory(tab: string, change: (memory: TabMemory) => TabMemory): void {
  const { memories } = page.get();
  const own = memories[tab] ?? NEW_TAB;
  changePage({ memories: withMemory(memories, tab, change(own)) });
  const stored = storedMemories();
  storeMemories(withMemory(stored, tab, change(stored[tab] ?? own)));
}
