import { readRowChoice, writeRowChoice } from '../../rows/row-choice.js';
import { type CountingMemory, FIGURES, type ListMemory, UNTOUCHED } from '../lists/list-memory.js';
import { createStore, useStore } from '../store/store.js';
import { activeTab, isView, type View } from './page-state.js';

/** What the user chose in a tab; kept over reloads. There is no key and no response in it. */
export interface TabMemory {
  readonly view: View;
  /** Path of the chosen list; null for the largest. */
  readonly list: string | null;
  /** By path. */
  readonly lists: Readonly<Record<string, ListMemory>>;
}

const NEW_TAB: TabMemory = { view: 'Table', list: null, lists: {} };

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

/** A tab's memory as plain JSON, for storage and links. */
interface PackedMemory {
  readonly view?: unknown;
  readonly list?: unknown;
  readonly lists?: unknown;
}

/** Packs a memory: its choices are the parameters of a data link. */
function packed({ view, list, lists }: TabMemory): PackedMemory {
  const choices = Object.entries(lists).map(([path, { choice, ...rest }]) => [
    path,
    { ...rest, choice: new URLSearchParams(writeRowChoice(choice)).toString() },
  ]);
  return { view, list, lists: Object.fromEntries(choices) };
}

/** The memory in packed JSON of unknown origin: what is malformed is as in a new tab. */
function unpacked({ view, list, lists }: PackedMemory): TabMemory {
  const entries = typeof lists === 'object' && lists !== null ? Object.entries(lists) : [];
  return {
    view: isView(view) ? view : NEW_TAB.view,
    list: typeof list === 'string' ? list : null,
    lists: Object.fromEntries(entries.map(([path, memory]) => [path, unpackedList(memory ?? {})])),
  };
}

function unpackedList({
  choice,
  hidesUniform,
  colour,
  position,
  counting,
}: Partial<Record<keyof ListMemory, unknown>>): ListMemory {
  return {
    choice: readChoice(choice),
    hidesUniform: hidesUniform === true,
    colour: typeof colour === 'string' ? colour : '',
    position: typeof position === 'string' ? position : '',
    counting: readCounting(counting),
  };
}

function readCounting(value: unknown): ListMemory['counting'] {
  if (typeof value !== 'object' || value === null) return null;
  const { by, of, show } = value as Partial<Record<keyof CountingMemory, unknown>>;
  const figure = FIGURES.find((name) => name === show);
  if (!Array.isArray(by) || !by.every((name) => typeof name === 'string') || figure === undefined) return null;
  return { by: by.slice(0, 2), of: typeof of === 'string' ? of : '', show: figure };
}

function readChoice(text: unknown): ListMemory['choice'] {
  try {
    return readRowChoice(new URLSearchParams(typeof text === 'string' ? text : ''));
  } catch {
    return UNTOUCHED.choice;
  }
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
