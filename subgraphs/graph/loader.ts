import DataLoader from 'dataloader';
import { freshTurn } from '../../runtime/event-loop/turns.js';
import type { OperationContext } from '../../schema/operation.js';

/** Asks for one key. Equal keys are asked once as long as the request lives. */
export type Load<K, V> = (key: K, operation: OperationContext) => Promise<V>;

interface Keyed<K> {
  readonly key: K;
  /** The operation that asked first: the call is attributed to its plan node. */
  readonly operation: OperationContext;
}

/**
 * A loader for one request, for a service that answers one key per call. Equal keys share one call. Keys are not
 * batched, so that each settles on its own: if thousands waited for the last of them, all that follows from them would
 * happen in one turn of the event loop.
 */
export function createSingleLoader<K, V>(load: Load<K, V>, cacheKey: (key: K) => string = String): Load<K, V> {
  const loader = new DataLoader<Keyed<K>, V, string>(
    (keyed) =>
      Promise.all(
        keyed.map(({ key, operation }) => load(key, operation).catch((reason) => inFreshTurn(operation, reason))),
      ),
    { batch: false, cacheKeyFn: ({ key }) => cacheKey(key) },
  );
  return (key, operation) => loader.load({ key, operation });
}

/** A deadline fails every call of a request at once: what follows from each failure takes its turn of the event loop. */
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
  const loaders = new WeakMap<object, L>();
  return ({ request }) => {
    const known = loaders.get(request);
    if (known !== undefined) return known;
    const created = create();
    loaders.set(request, created);
    return created;
  };
}
