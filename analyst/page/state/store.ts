import { useSyncExternalStore } from 'react';

/** An observable value. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  watch(listener: () => void): () => void;
}

/** Creates a store with an initial value. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A function of objects whose result is computed once for each. */
export function memoized<K extends object, V>(of: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, V>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = of(key);
    results.set(key, result);
    return result;
  };
}

/** The value of a store, as a React hook. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
