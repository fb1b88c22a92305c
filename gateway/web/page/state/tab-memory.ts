import { type ListMemory, UNTOUCHED } from '../lists/list-memory.js';
import { createStore, useStore } from '../store/store.js';
import { NEW_TAB, packed, type TabMemory, unpacked } from './packed-memory.js';
import { activeTab } from './page-state.js';

/** Tabs that are remembered; the one that was changed first is forgotten first. */
const MAX_TABS = 40;
const STORED = 'passerelle:tabs';

const memories = createStore<Readonly<Record<string, TabMemory>>>(stored());

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
  const { [tab]: own = NEW_TAB, ...others } = memories.get();
  const all = [...Object.entries(others), [tab, { ...own, ...change }] as const].slice(-MAX_TABS);
  memories.set(Object.fromEntries(all));
  const text = JSON.stringify(Object.fromEntries(all.map(([id, memory]) => [id, packed(memory)])));
  try {
    window.localStorage.setItem(STORED, text);
  } catch {
    // Without storage, or beyond its limit, it lasts as long as the page.
  }
}

/** Changes what is chosen for a list of the active tab. */
export function rememberList(path: string, change: Partial<ListMemory>): void {
  const { lists } = memoryOf(activeTab.get());
  remember({ lists: { ...lists, [path]: { ...(lists[path] ?? UNTOUCHED), ...change } } });
}

/** The memory of the active tab as plain JSON, for a link. */
export function sharedMemory(): unknown {
  return packed(memoryOf(activeTab.get()));
}

/** Takes over the memory in a link. */
export function adoptMemory(memory: unknown, tab: string): void {
  if (typeof memory === 'object' && memory !== null) remember(unpacked(memory), tab);
}

function stored(): Readonly<Record<string, TabMemory>> {
  try {
    const all: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '{}');
    const entries = Object.entries(all ?? {}).slice(-MAX_TABS);
    return Object.fromEntries(entries.map(([tab, memory]) => [tab, unpacked(memory ?? {})]));
  } catch {
    return {};
  }
}
