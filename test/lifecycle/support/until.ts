import { setTimeout } from 'node:timers/promises';
import { POLLING } from '../../polling.js';

/** Waits for what comes about by itself. Throws when it never does. */
export async function until(isSo: () => boolean): Promise<void> {
  const { timeout, interval } = POLLING;
  for (let waited = 0; !isSo(); waited += interval) {
    if (waited > timeout) throw new Error('What was waited for has not come.');
    await setTimeout(interval);
  }
}
