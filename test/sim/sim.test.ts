import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.js';
import { simulate } from './simulate.js';

/** Seeds of every test run; `npm run sim` plays as many as one likes. */
const SEEDS = 40;
/** Seeds that once broke a promise. */
const FORMER: readonly { readonly seed: number }[] = JSON.parse(
  readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'),
);

describe('the toolkit in simulated worlds', () => {
  it('keeps every promise', { timeout: 120_000 }, async () => {
    const seeds = new Set([
      ...Array.from({ length: SEEDS }, (_, index) => index + 1),
      ...FORMER.map(({ seed }) => seed),
    ]);
    const broken: string[] = [];
    let answered = 0;
    for (const seed of seeds) {
      const run = await simulate(seed);
      answered += run.answered;
      for (const { rule, detail } of run.violations) broken.push(`${rule}: ${detail} (npm run sim -- --seed ${seed})`);
    }
    expect(broken).toEqual([]);
    expect(answered).toBeGreaterThan(100 * SEEDS);
  });

  it('runs the same way each time that it gets the same seed, and another way with another', async () => {
    const [first, again, other] = [await simulate(5), await simulate(5), await simulate(6)];
    expect(again.hash).toBe(first.hash);
    expect(again.events).toBe(first.events);
    expect(other.hash).not.toBe(first.hash);
  });
});

describe('the mutants', () => {
  it('are changes of text that the toolkit has', () => {
    for (const { file, right, name } of MUTANTS) {
      const text = readFileSync(new URL(`../../subgraphs/rest/${file}`, import.meta.url), 'utf8');
      expect(text.split(right).length, name).toBe(2);
    }
  });
});
