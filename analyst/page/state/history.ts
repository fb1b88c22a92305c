import { createStore } from './store.js';

/** A question or a query that was asked in this browser. */
export interface Entry {
  readonly title: string;
  /** The fragment of its address, with its `#`. */
  readonly address: string;
  /** When it was last asked, in milliseconds since 1970. */
  readonly at: number;
  /** Whether it is kept until it is taken away. */
  readonly isKept: boolean;
}

const STORED = 'passerelle:questions';

/** Entries that are not kept; the oldest goes first. */
const MOST_RECENT = 60;
const MOST_KEPT = 500;

/** What was asked, the latest first. */
export const history = createStore<readonly Entry[]>(read());

/** Puts an address with its title at the beginning of the list; what was kept stays kept. */
export function addEntry(title: string, address: string, isKept = false): void {
  const before = history.get().find((entry) => entry.address === address);
  const others = history.get().filter((entry) => entry !== before);
  write([{ title, address, at: Date.now(), isKept: isKept || before?.isKept === true }, ...others]);
}

/** Keeps an entry, or no longer. */
export function keepEntry(entry: Entry, isKept: boolean): void {
  write(history.get().map((one) => (one === entry ? { ...one, isKept } : one)));
}

/** Takes an entry away. */
export function removeEntry(entry: Entry): void {
  write(history.get().filter((one) => one !== entry));
}

function write(entries: readonly Entry[]): void {
  const recent = entries.filter(({ isKept }) => !isKept).slice(0, MOST_RECENT);
  const kept = entries.filter(({ isKept }) => isKept).slice(0, MOST_KEPT);
  const all = entries.filter((entry) => recent.includes(entry) || kept.includes(entry));
  history.set(all);
  try {
    window.localStorage.setItem(STORED, JSON.stringify(all));
  } catch {
    // Without storage, or beyond its limit, the list lasts as long as the page.
  }
}

function read(): Entry[] {
  try {
    const all: unknown = JSON.parse(window.localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(all) ? all.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  const { title, address, at }: Partial<Record<keyof Entry, unknown>> = Object(value);
  return typeof title === 'string' && typeof at === 'number' && typeof address === 'string' && /^#\w+=/.test(address);
}
