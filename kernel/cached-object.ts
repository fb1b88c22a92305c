/**
 * Memoization that lives and dies with a cache entry.
 *
 * The objects of a cached response are the same for every caller. What depends on one of them alone is computed once and
 * remembered on it, as a **memo**: its text in a response, an object made from it, any function made by `derived`. Memos
 * count towards the bytes of the entry, and go when the entry goes. An object has one memo of each kind.
 */

/** Adds the bytes of what is made from a cache entry to that entry's size. */
export interface ByteCounter {
  add(bytes: number): void;
}

/** A memo on an object, linked to the memo before it. */
interface Memo {
  readonly kind: MemoKind<unknown>;
  value: unknown;
  next: Memo | null;
}

/** A kind of memo, found by its identity. */
export interface MemoKind<V> {
  /** Bytes of heap that a memo of this kind takes. */
  weigh(value: V): number;
}

// Symbols, because cached objects may have fields of any name.
const SELF = Symbol('self');
const ACCOUNT = Symbol('account');
const MEMOS = Symbol('memos');

/** An object that lives as long as the cache entry it was made from. */
export class CachedObject {
  /** Distinguishes the object from objects that inherit from it, for which its memos would be wrong. */
  readonly [SELF]: this;
  /** Null for an object of no cache entry: it takes no memos. */
  readonly [ACCOUNT]: ByteCounter | null;
  /** The newest memo. Each links to the one before, which takes fewer hops than an array. */
  [MEMOS]: Memo | null = null;

  constructor(account: ByteCounter | null) {
    this[SELF] = this;
    this[ACCOUNT] = account;
  }
}

/** Most memos on one object: without a limit, memos of many distinct selections would pile up. */
const MAX_MEMOS = 16;

/** The value as an object that takes memos; null if it is none. */
export function cachedObject(value: object): CachedObject | null {
  const cached = value as CachedObject;
  return cached[SELF] === value && cached[ACCOUNT] !== null ? cached : null;
}

/** Where bytes of what is made from an object are counted; null for an object that is not cached. */
export function accountOf(value: object): ByteCounter | null {
  return cachedObject(value)?.[ACCOUNT] ?? null;
}

/** The memo of a kind on an object; undefined if there is none, or it was dropped. */
export function memoOf<V>(object: CachedObject, kind: MemoKind<V>): V | undefined {
  return findMemo(object, kind)?.value as V | undefined;
}

function findMemo(object: CachedObject, kind: MemoKind<never>): Memo | null {
  for (let memo = object[MEMOS]; memo !== null; memo = memo.next) if (memo.kind === kind) return memo;
  return null;
}

/** Sets the memo of a kind on an object. Beyond `MAX_MEMOS` the oldest one is dropped. */
export function setMemo<V>(object: CachedObject, kind: MemoKind<V>, value: V): void {
  const account = object[ACCOUNT];
  const known = findMemo(object, kind);
  if (known !== null) {
    account?.add(kind.weigh(value) - kind.weigh(known.value as V));
    known.value = value;
    return;
  }
  object[MEMOS] = { kind: kind as MemoKind<unknown>, value, next: object[MEMOS] };
  account?.add(kind.weigh(value));
  dropOldest(object);
}

function dropOldest(object: CachedObject): void {
  let last = object[MEMOS];
  for (let place = 1; place < MAX_MEMOS && last !== null; place++) last = last.next;
  if (last === null || last.next === null) return;
  object[ACCOUNT]?.add(-last.next.kind.weigh(last.next.value));
  last.next = null;
}

/** Bytes that a memo takes in addition to its value. */
const MEMO_BYTES = 48;

/**
 * A pure function of one object, computed once for each cached object. `weigh` returns the bytes of heap that a result
 * takes. Results are shared: nobody may change them.
 */
export function derived<T extends object, V>(of: (object: T) => V, weigh: (value: V) => number): (object: T) => V {
  const kind: MemoKind<V> = { weigh: (value) => MEMO_BYTES + weigh(value) };
  return (object) => {
    const cached = cachedObject(object);
    if (cached === null) return of(object);
    const known = memoOf(cached, kind);
    if (known !== undefined) return known;
    const value = of(object);
    setMemo(cached, kind, value);
    return value;
  };
}
