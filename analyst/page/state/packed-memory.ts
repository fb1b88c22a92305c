import { readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { FIGURES } from '../../../rows/row-counts.js';
import { type CountingMemory, type ListMemory, type MapFrame, UNTOUCHED } from '../lists/list-memory.js';
import { isView, type View } from './page-state.js';

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

/** A memory of unknown origin as plain JSON, without anything that no tab remembers. */
export function cleanMemory(memory: unknown): unknown {
  return packed(typeof memory === 'object' && memory !== null ? unpacked(memory) : NEW_TAB);
}

/** A tab's memory as plain JSON, for storage and links. */
export interface PackedMemory {
  readonly view?: unknown;
  readonly list?: unknown;
  readonly lists?: unknown;
}

/** Packs a memory: its choices become the parameters of a data link. */
export function packed({ view, list, lists }: TabMemory): PackedMemory {
  const choices = Object.entries(lists).map(([path, { choice, ...rest }]) => [
    path,
    { ...rest, choice: new URLSearchParams(writeRowChoice(choice)).toString() },
  ]);
  return { view, list, lists: Object.fromEntries(choices) };
}

/** The memory in packed JSON of unknown origin; malformed parts are as in a new tab. */
export function unpacked({ view, list, lists }: PackedMemory): TabMemory {
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
