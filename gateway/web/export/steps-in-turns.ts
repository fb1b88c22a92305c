import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import type { Steps } from '../rows/steps.js';

/** Runs all steps, and lets the event loop turn between them. The owner is the request that they are for. */
export async function stepsInTurns<T>(owner: object, steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (isTurnSpent()) await freshTurn(owner);
  }
}
