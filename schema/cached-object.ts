/** Counts the bytes of what is made from a cache entry, in the size of that entry. */
export interface ByteCounter {
  add(bytes: number): void;
}

/** A kind of note. Its identity is what a note is found by. */
export interface NoteKind<V> {
  /** Bytes of heap that a note of this kind takes. */
  weigh(value: V): number;
}

// Symbols, because objects of this kind have fields of any name.
const SELF = Symbol('self');
const ACCOUNT = Symbol('account');
const NOTES = Symbol('notes');

/**
 * An object that lives as long as the cache entry that it was made from. What follows from it alone is computed once
 * and noted on it: its notes are counted in the entry's bytes, and leave with it.
 */
export class CachedObject {
  /** Distinguishes the object itself from objects that inherit from it, for which its notes would be wrong. */
  readonly [SELF]: this;
  /** Null for an object of no cache entry, on which nothing is noted. */
  readonly [ACCOUNT]: ByteCounter | null;
  /** Kinds and values in turn, the oldest first. */
  [NOTES]: unknown[] | null = null;

  constructor(account: ByteCounter | null) {
    this[SELF] = this;
    this[ACCOUNT] = account;
  }
}

/** Most notes on one object: many distinct selections would otherwise pile up on it. */
const MOST_NOTES = 16;

/** The object as one that takes notes; null for any other value. */
export function cachedObject(value: object): CachedObject | null {
  const cached = value as CachedObject;
  return cached[SELF] === value && cached[ACCOUNT] !== null ? cached : null;
}

/** Where the bytes of what is made of an object are counted; null for one that is not cached. */
export function accountOf(value: object): ByteCounter | null {
  return cachedObject(value)?.[ACCOUNT] ?? null;
}

/** What was noted of an object; undefined where nothing was, or is no longer. */
export function noteOn<V>(object: CachedObject, kind: NoteKind<V>): V | undefined {
  const notes = object[NOTES];
  if (notes === null) return undefined;
  for (let at = 0; at < notes.length; at += 2) if (notes[at] === kind) return notes[at + 1] as V;
  return undefined;
}

/** Notes something on an object, in the place of an older note of its kind; of too many notes the oldest is dropped. */
export function takeNote<V>(object: CachedObject, kind: NoteKind<V>, value: V): void {
  object[NOTES] ??= [];
  const notes = object[NOTES];
  const account = object[ACCOUNT];
  const known = notes.indexOf(kind);
  if (known >= 0) {
    account?.add(kind.weigh(value) - kind.weigh(notes[known + 1] as V));
    notes[known + 1] = value;
    return;
  }
  if (notes.length === 2 * MOST_NOTES) {
    const [oldest, dropped] = notes.splice(0, 2) as [NoteKind<unknown>, unknown];
    account?.add(-oldest.weigh(dropped));
  }
  notes.push(kind, value);
  account?.add(kind.weigh(value));
}

/** Bytes of a note beside its value: two places in a list. */
const NOTE_BYTES = 16;

/**
 * A pure function of one object, computed once for an object that is cached. `weigh` says how many bytes of heap a result
 * takes; its result must not be changed by anyone.
 */
export function derived<T extends object, V>(of: (object: T) => V, weigh: (value: V) => number): (object: T) => V {
  const kind: NoteKind<V> = { weigh: (value) => NOTE_BYTES + weigh(value) };
  return (object) => {
    const cached = cachedObject(object);
    if (cached === null) return of(object);
    const known = noteOn(cached, kind);
    if (known !== undefined) return known;
    const value = of(object);
    takeNote(cached, kind, value);
    return value;
  };
}
