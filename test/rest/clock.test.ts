import { describe, expect, it } from 'vitest';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';

const TIMERS = 60;
const MS_OF_EACH = 1;

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the clock of the machine', () => {
  it('lets the event loop turn between tasks that are due at once', async () => {
    let loops = 0;
    const count = () => {
      loops += 1;
      counter = setImmediate(count);
    };
    let counter = setImmediate(count);
    let loopsBetween = 0;
    await new Promise<void>((resolve) => {
      let done = 0;
      for (let timer = 0; timer < TIMERS; timer += 1) {
        systemClock.after(20, () => {
          workFor(MS_OF_EACH);
          if (done === 0) loopsBetween = -loops;
          done += 1;
          if (done < TIMERS) return;
          loopsBetween += loops;
          resolve();
        });
      }
    });
    clearImmediate(counter);
    expect(loopsBetween).toBeGreaterThan(TIMERS / 5);
  });

  it('runs no task before its time, as a timer of Node does', async () => {
    const early = await Promise.all(
      Array.from(
        { length: 100 },
        (_, timer) =>
          new Promise<boolean>((resolve) => {
            const dueMs = performance.now() + 5 + timer / 10;
            systemClock.after(5 + timer / 10, () => resolve(performance.now() < dueMs));
          }),
      ),
    );
    expect(early.filter(Boolean)).toEqual([]);
  });

  it('cancels a task that is due and waits for its turn', async () => {
    const ran: number[] = [];
    const cancels = Array.from({ length: 10 }, (_, timer) =>
      systemClock.after(20, () => {
        ran.push(timer);
        workFor(10);
        for (const cancel of cancels.slice(2)) cancel();
      }),
    );
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
    // One that was found to be early waits once more, so that any may be the first, which cancels all others but two.
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.slice(1).filter((timer) => timer >= 2)).toEqual([]);
  });
});
