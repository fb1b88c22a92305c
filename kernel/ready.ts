/**
 * Results that may be there at once. Resolvers and executors return values, promises, or the promises of this file whose
 * value is there already, so that what follows from cached values takes no turn of the event loop.
 */

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
