import DataLoader from 'dataloader';
import { type CachedRun, isPromise, unwrap } from '../../kernel/cached-values.js';
import type { OperationContext } from '../../kernel/operation.js';
import { freshTurn } from '../../runtime/event-loop/turns.js';

/** Loads one key. Equal keys are loaded once per request. In a cached run, the value is ready. */
export type Load<K, V> = (key: K, operation: OperationContext) => PromiseLike<V>;

interface Keyed<K> {
  readonly key: K;
  /** The first operation that needs it; the call is attributed to that operation's plan node. */
  readonly operation: OperationContext;
}

/**
 * A loader for one request, for a service that takes one key per call. Equal keys share one call. Keys are not batched,
 * so that each settles on its own: if thousands waited for the last one, everything that follows would happen in a
 * single turn of the event loop.
 */
export function createSingleLoader<K, V>(load: Load<K, V>, cacheKey: (key: K) => string = String): Load<K, V> {
  let loader: DataLoader<Keyed<K>, V, string> | null = null;
  return (key, operation) => {
    if (operation.cachedRun !== undefined) return take(load, key, operation, operation.cachedRun);
    loader ??= createLoader(load, cacheKey);
    return loader.load({ key, operation });
  };
}

/** In a cached run nothing is fetched, so values are ready. */
function take<K, V>(load: Load<K, V>, key: K, operation: OperationContext, run: CachedRun): PromiseLike<V> {
  const value = run.inLoader(() => load(key, operation));
  return isPromise(unwrap(value)) ? refuse(value, run) : value;
}

function refuse(value: PromiseLike<unknown>, run: CachedRun): never {
  value.then(undefined, () => {});
  return run.bailOut('waits');
}

function createLoader<K, V>(load: Load<K, V>, cacheKey: (key: K) => string): DataLoader<Keyed<K>, V, string> {
  const loadOne = async ({ key, operation }: Keyed<K>) => load(key, operation);
  return new DataLoader(
    (keyed) => Promise.all(keyed.map((one) => loadOne(one).catch((reason) => inFreshTurn(one.operation, reason)))),
    {
      batch: false,
      cacheKeyFn: ({ key }) => cacheKey(key),
    },
  );
}

/** A deadline fails all calls of a request at once, so each failure is passed on in its own turn of the event loop. */
async function inFreshTurn({ request }: OperationContext, reason: unknown): Promise<Error> {
  await freshTurn(request);
  return asError(reason);
}

function asError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new Error('A loader rejected with something other than an Error.', { cause: reason });
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
