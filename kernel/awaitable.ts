/*
 * Values that may already be there. What is cached is returned as a value and what is not as a promise: graphql-js waits
 * for promises alone, so a response from cached values takes no turn of the event loop.
 */

/** A value, or a promise of it if it has to be waited for. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Whether a result is a promise: resolvers and executors may be synchronous. */
export function isPromise<T, P extends PromiseLike<T>>(value: T | P): value is P {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

/** Uses a value as soon as it is there: at once if it already is, and then throws what `use` throws. */
export function whenThere<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(use) : use(value as T);
}

/** All values, at once if all of them are there. */
export function allThere<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}
