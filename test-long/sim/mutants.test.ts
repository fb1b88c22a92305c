import { expect, test } from 'vitest';
import { loadMutant } from '../../test/sim/load-mutant.js';
import { MUTANTS } from '../../test/sim/mutants.js';
import { simulate } from '../../test/sim/simulate.js';

// `npm run sim -- --mutants` prints which seed finds it first, and by which promise.
test.each(MUTANTS)('the simulation finds a bug in the toolkit: $name', async (mutant) => {
  const { violations } = await simulate(mutant.foundBy, await loadMutant(mutant));
  expect(violations[0]?.rule).toBe(mutant.breaks);
});
