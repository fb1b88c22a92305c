import { freshTurn, isTurnSpent } from './turns.js';

/** Runs all steps and lets the event loop turn between them. `owner` is the request that they are for. */
export async function stepsInTurns<T>(owner: object, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (isTurnSpent()) await freshTurn(owner);
  }
}

/** Runs all steps at once, for who cannot wait. */
export function stepsAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
