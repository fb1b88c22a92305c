import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshTurn, isTurnSpent, laterTurn } from '../../../runtime/event-loop/turns.js';

const nextLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Of a clock that stands still, so that no other work of the machine spends a turn. */
function spendTurn(): void {
  isTurnSpent();
  vi.advanceTimersByTime(2);
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  // Ends the turn of the test before.
  await nextLoop();
  await nextLoop();
});
afterEach(() => void vi.useRealTimers());

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

describe('A turn of the event loop', () => {
  it('is spent after a millisecond of work, and then the next one begins', async () => {
    expect(isTurnSpent()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isTurnSpent()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isTurnSpent()).toBe(true);
    await freshTurn();
    expect(isTurnSpent()).toBe(false);
  });

  it('is not given up while it is fresh', async () => {
    const { loops, stop } = countLoops();
    for (let step = 0; step < 100; step += 1) await freshTurn();
    expect(loops()).toBe(0);
    stop();
  });

  it('resumes one of those who wait, in the order in which they began to wait', async () => {
    const resumed: string[] = [];
    const loopsAt: number[] = [];
    const { loops, stop } = countLoops();
    const wait = async (name: string, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await laterTurn();
        resumed.push(name);
        loopsAt.push(loops());
      }
    };
    await Promise.all([wait('a', 3), wait('b', 3), wait('c', 1)]);
    stop();
    expect(resumed.join('')).toBe('abcabab');
    expect(new Set(loopsAt).size).toBe(resumed.length);
  });

  it('resumes one piece of each caller, whoever has many, and every second time what has begun', async () => {
    const resumed: string[] = [];
    const wait = async (name: string, caller?: string) => {
      await laterTurn(caller);
      resumed.push(name);
    };
    const pieces = [1, 2, 3];
    const all = [...pieces.map(() => wait('a', 'many')), wait('b', 'one'), ...pieces.map(() => wait('-'))];
    await Promise.all(all);
    expect(resumed.join('')).toBe('a-b-a-a');
  });

  it('leaves none behind others that never end', async () => {
    const turns = [0, 0, 0, 0];
    let ended = false;
    const endless = turns.map(async (_, index) => {
      while (!ended) {
        spendTurn();
        await freshTurn();
        turns[index]! += 1;
      }
    });
    for (let step = 0; step < 40; step += 1) {
      spendTurn();
      await freshTurn();
    }
    ended = true;
    const seen = [...turns];
    await Promise.all(endless);
    for (const count of seen) expect(Math.abs(count - 40)).toBeLessThanOrEqual(1);
  });

  it('comes after events: what has arrived is handled between two pieces of long work', async () => {
    const seen: string[] = [];
    const work = async (): Promise<void> => {
      for (let piece = 0; piece < 3; piece += 1) {
        await laterTurn();
        seen.push('work');
        // Due when the work ends.
        setTimeout(() => seen.push('event'), 1);
        spendTurn();
        for (const untilMs = Date.now() + 3; Date.now() < untilMs; );
      }
    };
    await Promise.all([work(), work()]);
    await nextLoop();
    expect(seen.join(' ')).toBe(Array(6).fill('work event').join(' '));
  });
});
