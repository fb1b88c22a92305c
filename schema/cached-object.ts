/** Counts the bytes of what is made from a cache entry, in the size of that entry. */
export interface ByteCounter {
  add(bytes: number): void;
}

/** A note on an object, and the one before it. */
interface Note {
  readonly kind: NoteKind<unknown>;
  value: unknown;
  next: Note | null;
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
  /** The newest of them: from there on each leads to the one before, in fewer hops than through a list. */
  [NOTES]: Note | null = null;

  constructor(account: ByteCounter | null) {
    this[SELF] = this;
    this[ACCOUNT] = account;
  }
}

/** Most notes on one object: many distinct selections would otherwise pile up on it. */
const MAX_NOTES = 16;

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
  return noteOf(object, kind)?.value as V | undefined;
}

function noteOf(object: CachedObject, kind: NoteKind<never>): Note | null {
  for (let note = object[NOTES]; note !== null; note = note.next) if (note.kind === kind) return note;
  return null;
}

/** Notes something on an object, in the place of an older note of its kind; of too many notes the oldest is dropped. */
export function takeNote<V>(object: CachedObject, kind: NoteKind<V>, value: V): void {
  const account = object[ACCOUNT];
  const known = noteOf(object, kind);
  if (known !== null) {
    account?.add(kind.weigh(value) - kind.weigh(known.value as V));
    known.value = value;
    return;
  }
  object[NOTES] = { kind: kind as NoteKind<unknown>, value, next: object[NOTES] };
  account?.add(kind.weigh(value));
  dropOldest(object);
}

function dropOldest(object: CachedObject): void {
  let last = object[NOTES];
  for (let place = 1; place < MAX_NOTES && last !== null; place++) last = last.next;
  if (last === null || last.next === null) return;
  object[ACCOUNT]?.add(-last.next.kind.weigh(last.next.value));
  last.next = null;
}

/** Bytes of a note beside its value. */
const NOTE_BYTES = 48;

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
