import { describe, expect, it } from 'vitest';
import { SEEDS } from './seeds.js';
import { type Run, simulate } from './simulate.js';

const TEN_MINUTES_MS = 600_000;

describe('the toolkit in simulated worlds', () => {
  it('keeps every promise', async () => {
    const broken: string[] = [];
    let virtualMs = 0;
    let answered = 0;
    for (const seed of SEEDS) {
      const run = await simulate(seed);
      virtualMs += run.virtualMs;
      answered += run.answered;
      if (run.violations.length > 0) broken.push(storyOf(run));
    }
    expect(broken).toEqual([]);
    expect(virtualMs).toBeGreaterThan(SEEDS.length * TEN_MINUTES_MS);
    expect(answered).toBeGreaterThan(50 * SEEDS.length);
  });

  it('runs the same way each time that it gets the same seed, and another way with another', async () => {
    const [first, again, other] = [await simulate(5), await simulate(5), await simulate(6)];
    expect(again.hash).toBe(first.hash);
    expect(again.events).toBe(first.events);
    expect(other.hash).not.toBe(first.hash);
  });
});

/** What was broken, how to reproduce it, and what happened just before. */
function storyOf({ seed, violations, recent }: Run): string {
  const [first] = violations;
  return [`${first?.rule}: ${first?.detail} (npm run sim -- --seed ${seed})`, ...recent.slice(-20)].join('\n');
}
