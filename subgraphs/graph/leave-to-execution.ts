import type { OperationContext } from '../../schema/operation.js';

/**
 * Ends a run that cannot wait, and one that makes calls ahead of it, before work that takes turns: they would do it for
 * nothing, and hold its responses until the execution that follows.
 */
export function leaveToExecution({ atHand, ahead }: OperationContext): void {
  atHand?.giveUp('waits');
  ahead?.giveUp();
}
