/** Whether a result is a promise: resolvers and executors may be synchronous. */
export function isPromise<T, P extends PromiseLike<T>>(value: T | P): value is P {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

/** A value, or a promise of it if it has to be waited for. */
export type Awaitable<T> = T | Promise<T>;

/** Uses a value as soon as it is there: synchronously if it already is, so that the result is at hand too. */
export function whenThere<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(use) : use(value);
}
