import { describe, expect, it } from 'vitest';
import { freshTurn, isTurnSpent, ownTurn } from '../../../runtime/event-loop/turns.js';

function spendTurn(): void {
  while (!isTurnSpent());
}

/** Counts the turns of the event loop. */
function countLoops(): { readonly loops: () => number; stop(): void } {
  let count = 0;
  let stopped = false;
  const again = () => {
    count += 1;
    if (!stopped) setImmediate(again);
  };
  setImmediate(again);
  return {
    loops: () => count,
    stop() {
      stopped = true;
    },
  };
}

describe('Turns of the event loop', () => {
  it('Turns of the event loop go round, so that no work is left behind by others that never end', async () => {
    const turns = [0, 0, 0, 0];
    let ended = false;
    const endless = turns.map(async (_, index) => {
      const owner = {};
      while (!ended) {
        spendTurn();
        await freshTurn(owner);
        turns[index]! += 1;
      }
    });
    const mine = {};
    for (let step = 0; step < 40; step += 1) {
      spendTurn();
      await freshTurn(mine);
    }
    ended = true;
    const seen = [...turns];
    await Promise.all(endless);
    for (const count of seen) {
      expect(count).toBeGreaterThanOrEqual(30);
      expect(count).toBeLessThanOrEqual(60);
    }
  });

  it('hold as much small work as fits', async () => {
    const owner = {};
    spendTurn();
    const small = Array.from({ length: 200 }, () => freshTurn(owner));
    const { loops, stop } = countLoops();
    await Promise.all(small);
    stop();
    expect(loops()).toBeLessThan(20);
  });

  it('hold one piece of work that cannot be interrupted, also when many wait at once', async () => {
    // Ends the turn of the test before.
    await new Promise((resolve) => setImmediate(resolve));
    const loopsAt: number[] = [];
    const { loops, stop } = countLoops();
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        await ownTurn({});
        loopsAt.push(loops());
        spendTurn();
      }),
    );
    stop();
    expect(new Set(loopsAt).size).toBe(5);
  });
});
