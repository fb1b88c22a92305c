/** Adds the bytes of what is made from a cache entry to that entry's size. */
export interface ByteCounter {
  add(bytes: number): void;
}

/** A note on an object, linked to the note before it. */
interface Note {
  readonly kind: NoteKind<unknown>;
  value: unknown;
  next: Note | null;
}

/** A kind of note. Notes are found by the identity of their kind. */
export interface NoteKind<V> {
  /** Bytes of heap that a note of this kind takes. */
  weigh(value: V): number;
}

// Symbols, because cached objects may have fields of any name.
const SELF = Symbol('self');
const ACCOUNT = Symbol('account');
const NOTES = Symbol('notes');

/**
 * An object that lives as long as the cache entry it was made from. What depends on it alone is computed once and noted
 * on it: its notes count towards the entry's bytes, and go when the entry goes.
 */
export class CachedObject {
  /** Distinguishes the object from objects that inherit from it, for which its notes would be wrong. */
  readonly [SELF]: this;
  /** Null for an object of no cache entry: nothing is noted on it. */
  readonly [ACCOUNT]: ByteCounter | null;
  /** The newest note. Each links to the one before, which takes fewer hops than an array. */
  [NOTES]: Note | null = null;

  constructor(account: ByteCounter | null) {
    this[SELF] = this;
    this[ACCOUNT] = account;
  }
}

/** Most notes on one object: without a limit, notes of many distinct selections would pile up. */
const MAX_NOTES = 16;

/** The value as an object that takes notes; null if it is none. */
export function cachedObject(value: object): CachedObject | null {
  const cached = value as CachedObject;
  return cached[SELF] === value && cached[ACCOUNT] !== null ? cached : null;
}

/** Where bytes of what is made from an object are counted; null for an object that is not cached. */
export function accountOf(value: object): ByteCounter | null {
  return cachedObject(value)?.[ACCOUNT] ?? null;
}

/** The note of a kind on an object; undefined if there is none, or it was dropped. */
export function noteOn<V>(object: CachedObject, kind: NoteKind<V>): V | undefined {
  return noteOf(object, kind)?.value as V | undefined;
}

function noteOf(object: CachedObject, kind: NoteKind<never>): Note | null {
  for (let note = object[NOTES]; note !== null; note = note.next) if (note.kind === kind) return note;
  return null;
}

/** Notes a value on an object, replacing an older note of its kind. Beyond `MAX_NOTES` the oldest note is dropped. */
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

/** Bytes that a note takes in addition to its value. */
const NOTE_BYTES = 48;

/**
 * A pure function of one object, computed once for each cached object. `weigh` returns the bytes of heap that a result
 * takes. Results are shared: nobody may change them.
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
