import { EVERYTHING, type RowChoice, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { FIGURES, type Figure } from '../../../rows/row-counts.js';
import { activeTab, isView, type View } from './page-state.js';
import { createStore, useStore } from './store.js';

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

/** What the user chose in a tab; survives reloads. It contains no key and no response. */
interface TabMemory {
  readonly view: View;
  /** Path of the chosen list; null for the largest. */
  readonly list: string | null;
  /** By path. */
  readonly lists: Readonly<Record<string, ListMemory>>;
}

/** The memory of a new tab. */
const NEW_TAB: TabMemory = { view: 'Table', list: null, lists: {} };

/** A memory of unknown origin as plain JSON, without anything that no tab remembers. */
export function cleanMemory(memory: unknown): unknown {
  return packed(typeof memory === 'object' && memory !== null ? unpacked(memory) : NEW_TAB);
}

/** A tab's memory as plain JSON, for storage and links. */
interface PackedMemory {
  readonly view?: unknown;
  readonly list?: unknown;
  readonly lists?: unknown;
}

/** Packs a memory: its choices become the parameters of a data link. */
function packed({ view, list, lists }: TabMemory): PackedMemory {
  const choices = Object.entries(lists).map(([path, { choice, ...rest }]) => [
    path,
    { ...rest, choice: new URLSearchParams(writeRowChoice(choice)).toString() },
  ]);
  return { view, list, lists: Object.fromEntries(choices) };
}

/** The memory in packed JSON of unknown origin; malformed parts are as in a new tab. */
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
  frame,
  counting,
}: Partial<Record<keyof ListMemory, unknown>>): ListMemory {
  return {
    choice: readChoice(choice),
    hidesUniform: hidesUniform === true,
    colour: typeof colour === 'string' ? colour : '',
    position: typeof position === 'string' ? position : '',
    frame: readFrame(frame),
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

function readFrame(value: unknown): MapFrame | null {
  if (typeof value !== 'object' || value === null) return null;
  const { x, y, width } = value as Partial<Record<keyof MapFrame, unknown>>;
  const isNumber = (one: unknown): one is number => typeof one === 'number' && Number.isFinite(one);
  return isNumber(x) && isNumber(y) && isNumber(width) && width > 0 ? { x, y, width } : null;
}

function readChoice(text: unknown): ListMemory['choice'] {
  try {
    return readRowChoice(new URLSearchParams(typeof text === 'string' ? text : ''));
  } catch {
    return UNTOUCHED.choice;
  }
}

/** What the user counts. */
export interface CountingMemory {
  /** Names of one or two columns. */
  readonly by: readonly string[];
  /** Name of the column of numbers; empty for none. */
  readonly of: string;
  /** The figure that bars and map show. */
  readonly show: Figure;
}

/** The part of the map that is in view: its centre and its width, in units of the drawing. */
export interface MapFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What the user chose for one list of a tab. It survives switching tabs and views, and a reload. */
export interface ListMemory {
  readonly choice: RowChoice;
  /** Whether columns that are empty or equal in all rows are hidden. */
  readonly hidesUniform: boolean;
  /** The column that colours the map; empty for none. */
  readonly colour: string;
  /** The position that the map uses; empty for the first. */
  readonly position: string;
  /** Where the user moved the map; null to show where the rows are. */
  readonly frame: MapFrame | null;
  /** Null for the usual counting. */
  readonly counting: CountingMemory | null;
}

/** A list as received. */
export const UNTOUCHED: ListMemory = {
  choice: EVERYTHING,
  hidesUniform: false,
  colour: '',
  position: '',
  frame: null,
  counting: null,
};
