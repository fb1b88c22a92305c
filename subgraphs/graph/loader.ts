import DataLoader from 'dataloader';
import { type Awaitable, isPromise } from '../../kernel/awaitable.js';
import type { OperationContext } from '../../kernel/operation.js';
import { freshTurn, listsCompleted } from '../../runtime/event-loop/turns.js';

/** Loads one key: at once if it is cached. Equal keys are loaded once per request. */
export type Load<K, V> = (key: K, operation: OperationContext) => Awaitable<V>;

interface Keyed<K> {
  readonly key: K;
  /** The first operation that needs it; the call is attributed to that operation's plan node. */
  readonly operation: OperationContext;
}

/**
 * A loader for one request, for a service that takes one key per call. Equal keys share one call. Keys are not batched,
 * so that each settles on its own: if thousands waited for the last one, everything that follows would happen in a
 * single turn of the event loop. `loaded` is what it keeps them in, for whoever asks without loading.
 */
export function createSingleLoader<K, V>(
  load: Load<K, V>,
  cacheKey: (key: K) => string = String,
  loaded = new Map<string, Awaitable<V>>(),
): Load<K, V> {
  return (key, operation) => {
    const name = cacheKey(key);
    // Of a value that may be undefined, too.
    if (loaded.has(name)) return loaded.get(name) as Awaitable<V>;
    const value = load(key, operation);
    if (!isPromise(value)) {
      loaded.set(name, value);
      return value;
    }
    // A deadline fails all calls of a request at once, so failures are passed on in turns of the event loop.
    const settled = value.then(undefined, async (reason: unknown) => {
      await freshTurn(operation.caller);
      throw reason;
    });
    settled.then(
      (there) => loaded.set(name, there),
      () => {},
    );
    loaded.set(name, settled);
    return settled;
  };
}

/** How the keys of a batch are gathered and loaded. */
interface BatchRules<V> {
  /** Values in the order of the keys; an Error fails its own key. */
  load(keys: readonly string[], operation: OperationContext): Promise<readonly (V | Error)[]>;
  /** Most keys of a batch. What waits for one settles in a single turn of the event loop. */
  readonly maximum: number;
  /** Look-ups by which the request may find further keys; without them, only keys of the same turn are gathered. */
  readonly lookUps?: PendingLookUps;
}

/**
 * A loader for one request, of what is cheaper to read together. With look-ups it waits until the request has done what
 * it can: its lists are completed in turns, and objects that are still looked up may need further keys.
 */
export function createBatchLoader<V>({ load, maximum, lookUps }: BatchRules<V>): Load<string, V> {
  let loader: DataLoader<Keyed<string>, V, string> | null = null;
  return (key, operation) => {
    loader ??= new DataLoader(
      (keyed) =>
        load(
          keyed.map((one) => one.key),
          keyed[0]?.operation ?? operation,
        ),
      {
        maxBatchSize: maximum,
        cacheKeyFn: (one) => one.key,
        ...(lookUps !== undefined && {
          batchScheduleFn: (dispatch) => void lookUps.settled(operation.execution ?? operation.request).then(dispatch),
        }),
      },
    );
    return loader.load({ key, operation });
  };
}

/** The look-ups of one request that are under way. */
export type PendingLookUps = ReturnType<typeof createPendingLookUps>;

/** Creates the notes of a request that has looked nothing up. */
export function createPendingLookUps() {
  const pending = new Set<PromiseLike<unknown>>();
  return {
    /** Returns the look-up, after noting one that is not there yet. */
    note<T>(lookUp: Awaitable<T>): Awaitable<T> {
      if (!isPromise(lookUp)) return lookUp;
      pending.add(lookUp);
      const done = () => {
        pending.delete(lookUp);
      };
      lookUp.then(done, done);
      return lookUp;
    },
    /** Resolves once none is under way, and the lists of the execution are completed. */
    async settled(execution: object): Promise<void> {
      do {
        await Promise.allSettled(pending);
        await listsCompleted(execution);
      } while (pending.size > 0);
    },
  };
}

/** Gives each request its own loaders, created on first use and released with the request. */
export function perRequest<L>(create: () => L): (operation: OperationContext) => L {
  // Stored on the request itself: weak maps with many short-lived keys are slow to garbage-collect.
  const own = Symbol('loaders');
  return ({ request }) => {
    const holder = request as { [own]?: L };
    holder[own] ??= create();
    return holder[own];
  };
}
