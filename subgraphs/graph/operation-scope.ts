import type { OperationContext } from '../../kernel/operation.js';
import { ready } from '../../kernel/ready.js';
import { stepsAtOnce, stepsInTurns } from '../../runtime/event-loop/turns.js';

/** What the contexts of all subgraphs have in common. */
export interface OperationScope {
  readonly operation: Pick<OperationContext, 'request'>;
}

/** The request that an operation is part of, as the owner of its work. */
export function requestOf({ operation }: OperationScope): object {
  return operation.request;
}

/** Long work in steps, which the event loop may interrupt. */
interface LongWork<T> {
  readonly steps: Generator<void, T>;
  /** Whether it takes a few milliseconds at most. */
  readonly isShort: boolean;
}

/** Does long work in turns of the event loop. A run that uses only what is at hand does what is short at once, or ends. */
export function inSteps<T>({ atHand, request }: OperationContext, { steps, isShort }: LongWork<T>): PromiseLike<T> {
  if (atHand === undefined) return stepsInTurns(request, steps);
  return isShort ? ready(stepsAtOnce(steps)) : atHand.giveUp('waits');
}
