import type { OperationContext } from '../../schema/operation.js';

/**
 * Ends a run that cannot wait, and one that makes calls ahead of it, before work that takes turns: they would do it for
 * nothing, and hold its responses until the execution that follows.
 */
export function leaveToExecution({ atHand, calls }: OperationContext): void {
  atHand?.giveUp('waits');
  calls?.leaveToExecution();
}
