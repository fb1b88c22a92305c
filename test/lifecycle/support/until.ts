import { setTimeout } from 'node:timers/promises';
import { POLLING } from '../../polling.js';

/** Polls until this is so; throws if it never is. */
export async function until(isSo: () => boolean): Promise<void> {
  const { timeout, interval } = POLLING;
  for (let waited = 0; !isSo(); waited += interval) {
    if (waited > timeout) throw new Error('What was waited for has not come.');
    await setTimeout(interval);
  }
}
