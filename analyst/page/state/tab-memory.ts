import { EVERYTHING, type RowChoice, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { FIGURES, type Figure } from '../../../rows/row-counts.js';

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
  /** Widths of columns that were dragged, in characters, by name. */
  readonly widths: Readonly<Record<string, number>>;
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
  widths: {},
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

/** A memory of unknown origin as plain JSON, without anything that no tab remembers. */
export function cleanMemory(memory: unknown): unknown {
  return packMemory(readMemory(memory) ?? NEW_TAB);
}

/** A memory as plain JSON, for storage and links: its choices are the parameters of a data link. */
export function packMemory({ view, list, lists }: TabMemory): Readonly<Record<keyof TabMemory, unknown>> {
  const choices = Object.entries(lists).map(([path, { choice, ...rest }]) => [
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
    choice: readChoice(memory.choice),
    hidesUniform: memory.hidesUniform === true,
    colour: typeof colour === 'string' ? colour : '',
    position: typeof position === 'string' ? position : '',
    frame: readFrame(memory.frame),
    counting: readCounting(memory.counting),
    widths: readWidths(memory.widths),
    hiddenLayers: Array.isArray(hiddenLayers) ? hiddenLayers.filter((path) => typeof path === 'string') : [],
  };
}

/** Columns whose widths are remembered. */
const MOST_WIDTHS = 200;

function readWidths(value: unknown): ListMemory['widths'] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value).slice(0, MOST_WIDTHS) : [];
  return Object.fromEntries(entries.filter(([, width]) => typeof width === 'number' && width > 0));
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
