import { describe, expect, it } from 'vitest';
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';

describe('Turns of the event loop', () => {
  it('go to the work that waits longest, so that none is left behind by others that never end', async () => {
    const turns = [0, 0, 0, 0];
    let ended = false;
    const endless = turns.map(async (_, index) => {
      while (!ended) {
        while (!isTurnSpent());
        await freshTurn();
        turns[index]! += 1;
      }
    });
    for (let step = 0; step < 10; step += 1) {
      while (!isTurnSpent());
      await freshTurn();
    }
    ended = true;
    const seen = [...turns];
    await Promise.all(endless);
    for (const count of seen) {
      expect(count).toBeGreaterThanOrEqual(9);
      expect(count).toBeLessThanOrEqual(11);
    }
  });
});
