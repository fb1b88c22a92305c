import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asks, freshTurn, isTurnSpent, longTurn, ownTurn, takeTurnsFor } from '../../../runtime/event-loop/turns.js';

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

  it('hold few long pieces in a row: a small query that waits for something meets one of them, not one of each caller', async () => {
    let pieces = 0;
    let ended = false;
    const noisy = Array.from({ length: 6 }, async (_, index) => {
      const owner = {};
      takeTurnsFor(`noisy ${index}`, owner);
      while (!ended) {
        await longTurn(owner);
        pieces += 1;
        for (const untilMs = performance.now() + 30; performance.now() < untilMs; );
      }
    });
    const met: number[] = [];
    for (let query = 0; query < 20; query += 1) {
      asks('neighbour');
      const before = pieces;
      for (let wait = 0; wait < 3; wait += 1) await pause(1);
      met.push(pieces - before);
      await pause(5);
    }
    ended = true;
    await Promise.all(noisy);
    expect(met.filter((count) => count > 1).length, met.join(' ')).toBeLessThan(5);
  });
});
