import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadMutant, MUTANTS } from './mutants.js';
import { simulate } from './simulate.js';

/** Seeds of every test run; `npm run sim` plays as many as one likes. */
const SEEDS = 20;

/** Seeds that once broke a promise, and what they found. */
const FORMER: readonly { readonly seed: number }[] = JSON.parse(
  readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'),
);

describe('the toolkit in simulated worlds', () => {
  it('keeps every promise', { timeout: 120_000 }, async () => {
    const first = Array.from({ length: SEEDS }, (_, index) => index + 1);
    const broken: string[] = [];
    let answered = 0;
    for (const seed of new Set([...first, ...FORMER.map((one) => one.seed)])) {
      const run = await simulate(seed);
      answered += run.answered;
      for (const { rule, detail } of run.violations) broken.push(`${rule}: ${detail} (npm run sim -- --seed ${seed})`);
    }
    expect(broken).toEqual([]);
    expect(answered).toBeGreaterThan(50 * SEEDS);
  });

  it('runs the same way each time that it gets the same seed, and another way with another', async () => {
    const [first, again, other] = [await simulate(5), await simulate(5), await simulate(6)];
    expect(again.hash).toBe(first.hash);
    expect(again.events).toBe(first.events);
    expect(other.hash).not.toBe(first.hash);
  });
});

describe('a mistake in the toolkit', () => {
  // Which seed finds it first is told by `npm run sim -- --mutants`.
  for (const mutant of MUTANTS) {
    it(`is found: ${mutant.name}`, { timeout: 60_000 }, async () => {
      const { violations } = await simulate(mutant.foundBy, await loadMutant(mutant));
      expect(violations).not.toEqual([]);
    });
  }
});
