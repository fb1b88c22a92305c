/*
 * What is answered from memory.
 *
 * The objects of a cached response are the same for every caller. What depends on one of them alone is computed once and
 * remembered on it, as a **memo**: its text in a response, an object made from it, any function made by `derived`. Memos
 * count towards the bytes of the cache entry, and go when the entry goes. An object has one memo of each kind.
 *
 * A **cached run** executes an operation from such objects alone. Resolvers and executors return values, promises, or
 * **ready** promises, whose value is there already, so that what follows from cached values takes no turn of the event
 * loop.
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

/**
 * A cached run executes an operation from memory alone, as HTTP's `only-if-cached` asks of a cache: from fresh cache
 * entries and from values derived from them. It never waits or sends anything.
 *
 * - What it makes **depends** on the entries that it read. Each is recorded as a `CacheDependency`: the text that the run
 *   makes is sent again without a run for as long as all of its dependencies are fresh, and each time counts as a hit of
 *   each of them.
 * - When something is missing the run **bails out**, as a just-in-time compiler's fast path does: it ends at once, by an
 *   error that only the run itself catches, and the operation is executed by graphql-js, which may wait.
 */
export interface CachedRun {
  /** When it started, in milliseconds since 1970: what is fresh then counts as fresh until it ends. */
  readonly nowMs: number;
  /** Records that the run depends on something: counted when it completes, discarded when it bails out. */
  recordUse(dependency: CacheDependency): void;
  /** Looks something up for a loader: however often a run does so, each dependency counts as used once. */
  inLoader<T>(look: () => T): T;
  /** Ends the run: throws the bailout for this reason, and remembers having done so. */
  bailOut(reason: BailoutReason): never;
}

/** Something cached that values and texts are derived from: a cache entry, or an export. */
export interface CacheDependency {
  /** Whether each use of it saves a call. */
  readonly isCall: boolean;
  /** Number of the last run that used it: loaders use it once per run. */
  lastRun: number;
  /** Until when it is fresh, in milliseconds since 1970. */
  readonly freshUntilMs: number;
  /** When it was sent, in milliseconds since 1970, if no call is made for it, as for the daily export. */
  readonly storedMs?: number;
  /** Whether a look-up at this time (milliseconds since 1970) would find it again, and fresh. */
  isFresh(nowMs: number): boolean;
  /** Counts a use at this time in metrics and figures, as a call answered from the cache. */
  countUse(nowMs: number): void;
}

/** Whether a lookup at this time would still find all of these, and find them fresh. */
export function areFresh(dependencies: readonly CacheDependency[], nowMs: number): boolean {
  for (const dependency of dependencies) if (!dependency.isFresh(nowMs)) return false;
  return true;
}

/**
 * Why a run bailed out. `missing`, `expired`: a cache entry was; `uncached`: memory alone cannot answer the call;
 * `waits`: a resolver returned a promise; `failed`: a resolver threw; `unfit`: a value is not of its type, or null
 * where that is not allowed; `long`: the run used up its turn of the event loop.
 */
export type BailoutReason = 'missing' | 'expired' | 'uncached' | 'waits' | 'failed' | 'unfit' | 'long';

/** Ends a cached run. Only the run itself catches it. */
export class Bailout extends Error {
  readonly reason: BailoutReason;

  constructor(reason: BailoutReason) {
    super(`A cached run ended: ${reason}.`);
    this.reason = reason;
  }
}

/** One per reason, created once: capturing a stack each time would cost more than the run. */
const BAILOUTS = Object.fromEntries(
  (['missing', 'expired', 'uncached', 'waits', 'failed', 'unfit', 'long'] as const).map((reason) => [
    reason,
    new Bailout(reason),
  ]),
) as Readonly<Record<BailoutReason, Bailout>>;

/** The error that ends a run. */
export function bailout(reason: BailoutReason): Bailout {
  return BAILOUTS[reason];
}

/** Whether a result is a promise: resolvers and executors may be synchronous. */
export function isPromise<T, P extends PromiseLike<T>>(value: T | P): value is P {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

/** A value, or a promise of it if it has to be waited for. */
export type Awaitable<T> = T | Promise<T>;

/** Uses a value as soon as it is there: synchronously if it already is. */
export function whenThere<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(use) : use(value);
}

/**
 * A promise whose value is already there. Its `then` uses the value at once, so what follows from cached values is there
 * at once too, and it throws what `use` throws. `await` takes it like any other promise.
 */
class Ready<T> implements PromiseLike<T> {
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }

  // biome-ignore lint/suspicious/noThenProperty: it stands for a promise
  then<R = T>(use?: ((value: T) => R | PromiseLike<R>) | null): PromiseLike<R> {
    // Without a function, a promise passes its value on.
    return use ? ready(use(this.value)) : (this as unknown as PromiseLike<R>);
  }
}

/** What is there, or has to be waited for, as a promise. */
export function ready<T>(value: T | PromiseLike<T>): PromiseLike<T> {
  return isPromise(value) ? value : new Ready(value);
}

/** The value of a promise that `ready` made of it; any other promise or value as it is. */
export function unwrap<T>(value: T | PromiseLike<T>): T | PromiseLike<T> {
  return value instanceof Ready ? value.value : value;
}

/** The values of several promises, ready if all of them are. */
export function allOf<T>(promises: readonly PromiseLike<T>[]): PromiseLike<readonly T[]> {
  const values: T[] = [];
  for (const one of promises) {
    if (!(one instanceof Ready)) return Promise.all(promises);
    values.push(one.value);
  }
  return new Ready(values);
}
