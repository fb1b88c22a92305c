import type { OperationContext } from '../../schema/operation.js';

/** Asks for one key. Equal keys are asked once as long as the request lives. */
export type Load<K, V> = (key: K, operation: OperationContext) => Promise<V>;

/**
 * A loader for one request, for a service that answers one key a call. Equal keys share the call of the operation that
 * asked first. Each key settles on its own: if thousands waited for the last of them, all that follows from them would
 * happen in one turn of the event loop.
 */
export function createSingleLoader<K, V>(load: Load<K, V>, cacheKey: (key: K) => string = String): Load<K, V> {
  const loaded = new Map<string, Promise<V>>();
  return (key, operation) => {
    const text = cacheKey(key);
    const known = loaded.get(text);
    if (known !== undefined) return known;
    const loading = load(key, operation);
    loaded.set(text, loading);
    return loading;
  };
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
