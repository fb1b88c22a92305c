import DataLoader from 'dataloader';
import type { OperationContext } from '../../schema/operation.js';

/** Loads one key. Equal keys are loaded once per request. */
export type Load<K, V> = (key: K, operation: OperationContext) => Promise<V>;

interface Asked<K> {
  readonly key: K;
  /** The operation that asked first: the call is attributed to its plan node. */
  readonly operation: OperationContext;
}

/**
 * A loader for one request. `batch` gets the distinct keys requested in one tick, each with the operation that
 * asked first, and returns one value or error for each, in the same order.
 */
export function createLoader<K, V>(
  batch: (asked: readonly Asked<K>[]) => Promise<readonly (V | Error)[]>,
  cacheKey: (key: K) => string = String,
): Load<K, V> {
  const loader = new DataLoader<Asked<K>, V, string>(batch, { cacheKeyFn: ({ key }) => cacheKey(key) });
  return (key, operation) => loader.load({ key, operation });
}

/** A loader for a service with one key per call: it shares equal keys within the request. */
export function createSingleLoader<K, V>(load: Load<K, V>, cacheKey?: (key: K) => string): Load<K, V> {
  return createLoader<K, V>(
    (asked) => Promise.all(asked.map(({ key, operation }) => load(key, operation).catch(asError))),
    cacheKey,
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new Error('A loader rejected with something other than an Error.', { cause: reason });
}

/** Gives each request its own loaders, created on first use and released with the request. */
export function perRequest<L>(create: () => L): (operation: OperationContext) => L {
  const loaders = new WeakMap<object, L>();
  return ({ request }) => {
    const known = loaders.get(request);
    if (known !== undefined) return known;
    const created = create();
    loaders.set(request, created);
    return created;
  };
}
