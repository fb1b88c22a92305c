import { EVERYTHING, type RowChoice, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';

/** The views of a response. */
export const VIEWS = ['JSON', 'Table', 'Counts', 'Map', 'Trace'] as const;
/** One of the views. */
export type View = (typeof VIEWS)[number];

/** What the user chose in a tab; survives reloads. It contains no key and no response. */
export interface TabMemory {
  readonly view: View;
  /** Path of the chosen list; null for the largest. */
  readonly list: string | null;
  /** By path. */
  readonly lists: Readonly<Record<string, ListMemory>>;
}

/** The memory of a new tab. */
export const NEW_TAB: TabMemory = { view: 'Table', list: null, lists: {} };

/** What the user counts. */
export interface CountingMemory {
  /** Names of one or two columns. */
  readonly by: readonly string[];
  /** Name of the column of numbers, of rows that are counts themselves; empty for others. */
  readonly of: string;
}

/** The part of the map that is in view: its centre and its zoom. */
export interface MapFrame {
  readonly latitude: number;
  readonly longitude: number;
  readonly zoom: number;
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
  /** Where the user moved the map, until the page is loaded again; null to show where the rows are. */
  readonly frame: MapFrame | null;
  /** Null for the usual counting. */
  readonly counting: CountingMemory | null;
  /** Paths of the lists that are hidden on the map. */
  readonly hiddenLayers: readonly string[];
}

/** A list as received. */
export const UNTOUCHED: ListMemory = {
  choice: EVERYTHING,
  hidesUniform: false,
  colour: '',
  position: '',
  frame: null,
  counting: null,
  hiddenLayers: [],
};

/** The memories of tabs, by id, the one that was changed least recently first. */
export type Memories = Readonly<Record<string, TabMemory>>;

/** Tabs that are remembered; the one that was changed least recently is dropped first. */
const MAX_TABS = 40;
const STORED = 'passerelle:tabs';

/** The memories with another one of a tab. */
export function withMemory(memories: Memories, tab: string, memory: TabMemory): Memories {
  const others = Object.entries(memories).filter(([id]) => id !== tab);
  return Object.fromEntries([...others, [tab, memory] as const].slice(-MAX_TABS));
}

/** The memories in this browser's storage. */
export function storedMemories(): Memories {
  try {
    const all: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '{}');
    const entries = Object.entries(all ?? {}).slice(-MAX_TABS);
    return Object.fromEntries(entries.map(([tab, memory]) => [tab, readMemory(memory) ?? NEW_TAB]));
  } catch {
    return {};
  }
}

/** Stores memories; without storage, or beyond its limit, they last as long as the page. */
export function storeMemories(memories: Memories): void {
  const entries = Object.entries(memories).map(([tab, memory]) => [tab, packMemory(memory)]);
  try {
    window.localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // As said above.
  }
}

/** A memory as plain JSON, for storage and links: its choices are the parameters of a data link. */
export function packMemory({ view, list, lists }: TabMemory): Readonly<Record<keyof TabMemory, unknown>> {
  const choices = Object.entries(lists).map(([path, { choice, frame: _, ...rest }]) => [
    path,
    { ...rest, choice: new URLSearchParams(writeRowChoice(choice)).toString() },
  ]);
  return { view, list, lists: Object.fromEntries(choices) };
}

/** The memory in JSON of unknown origin; malformed parts are as in a new tab. Null if it is none. */
export function readMemory(memory: unknown): TabMemory | null {
  if (typeof memory !== 'object' || memory === null) return null;
  const { view, list, lists }: Partial<Record<keyof TabMemory, unknown>> = memory;
  const entries = typeof lists === 'object' && lists !== null ? Object.entries(lists) : [];
  return {
    view: VIEWS.find((name) => name === view) ?? NEW_TAB.view,
    list: typeof list === 'string' ? list : null,
    lists: Object.fromEntries(entries.map(([path, memory]) => [path, readListMemory(memory ?? {})])),
  };
}

function readListMemory(memory: Partial<Record<keyof ListMemory, unknown>>): ListMemory {
  const { colour, position, hiddenLayers } = memory;
  return {
    choice: readChoice(new URLSearchParams(typeof memory.choice === 'string' ? memory.choice : '')),
    hidesUniform: memory.hidesUniform === true,
    colour: typeof colour === 'string' ? colour : '',
    position: typeof position === 'string' ? position : '',
    frame: null,
    counting: readCounting(memory.counting),
    hiddenLayers: Array.isArray(hiddenLayers) ? hiddenLayers.filter((path) => typeof path === 'string') : [],
  };
}

function readCounting(value: unknown): ListMemory['counting'] {
  if (typeof value !== 'object' || value === null) return null;
  const { by, of } = value as Partial<Record<keyof CountingMemory, unknown>>;
  if (!Array.isArray(by) || !by.every((name) => typeof name === 'string')) return null;
  return { by: by.slice(0, 2), of: typeof of === 'string' ? of : '' };
}

/** A choice from the parameters of a link; a malformed one is that of a new tab. */
export function readChoice(parameters: URLSearchParams): RowChoice {
  try {
    return readRowChoice(parameters);
  } catch {
    return UNTOUCHED.choice;
  }
}
