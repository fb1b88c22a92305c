import { type ListMemory, UNTOUCHED } from '../lists/list-memory.js';
import { createStore, useStore } from '../store/store.js';
import { NEW_TAB, packed, type TabMemory, unpacked } from './packed-memory.js';
import { activeTab } from './page-state.js';

/** Tabs that are remembered; the one that was changed least recently is dropped first. */
const MAX_TABS = 40;
const STORED = 'passerelle:tabs';

/** By tab id. */
type Memories = Readonly<Record<string, TabMemory>>;

const memories = createStore<Memories>(stored());

/** The memory of a tab. */
function memoryOf(tab: string): TabMemory {
  return memories.get()[tab] ?? NEW_TAB;
}

/** The memory of the active tab, as a React hook. */
export function useTabMemory(): TabMemory {
  const tab = useStore(activeTab);
  return useStore(memories)[tab] ?? NEW_TAB;
}

/** Changes the memory of a tab. */
export function remember(change: Partial<TabMemory>, tab = activeTab.get()): void {
  changeMemory(tab, (memory) => ({ ...memory, ...change }));
}

/** Changes what is chosen for a list of the active tab. */
export function rememberList(path: string, change: Partial<ListMemory>): void {
  changeMemory(activeTab.get(), ({ lists, ...memory }) => ({
    ...memory,
    lists: { ...lists, [path]: { ...(lists[path] ?? UNTOUCHED), ...change } },
  }));
}

/** Changes a tab's memory here and, separately, in storage, where what another window stored meanwhile stays. */
function changeMemory(tab: string, change: (memory: TabMemory) => TabMemory): void {
  const own = memoryOf(tab);
  memories.set(withTab(memories.get(), tab, change(own)));
  const all = stored();
  const entries = Object.entries(withTab(all, tab, change(all[tab] ?? own)));
  const text = JSON.stringify(Object.fromEntries(entries.map(([id, memory]) => [id, packed(memory)])));
  try {
    window.localStorage.setItem(STORED, text);
  } catch {
    // Without storage, or beyond its limit, the memory lasts as long as the page.
  }
}

function withTab(memories: Memories, tab: string, memory: TabMemory): Memories {
  const others = Object.entries(memories).filter(([id]) => id !== tab);
  return Object.fromEntries([...others, [tab, memory] as const].slice(-MAX_TABS));
}

/** The memory of the active tab as plain JSON, for a link. */
export function sharedMemory(): unknown {
  return packed(memoryOf(activeTab.get()));
}

/** Adopts the memory in a link. */
export function adoptMemory(memory: unknown, tab: string): void {
  if (typeof memory === 'object' && memory !== null) remember(unpacked(memory), tab);
}

function stored(): Memories {
  try {
    const all: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '{}');
    const entries = Object.entries(all ?? {}).slice(-MAX_TABS);
    return Object.fromEntries(entries.map(([tab, memory]) => [tab, unpacked(memory ?? {})]));
  } catch {
    return {};
  }
}
