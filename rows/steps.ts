/** Work in steps of a few milliseconds, so that whoever runs it can yield between them. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
