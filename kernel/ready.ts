import { isPromise } from './is-promise.js';

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
