import { simulate } from './simulate.js';

/**
 * `npm run sim -- --seed N` replays one seed; `--seeds A..B` runs many, and prints those that break a promise;
 * `--mutants` tells which seed finds each mutant.
 */
const text = (name: string) => process.argv[process.argv.indexOf(name) + 1];
const has = (name: string) => process.argv.includes(name);

if (has('--seed')) {
  const run = await simulate(Number(text('--seed')));
  console.log(JSON.stringify(run.world, null, 2));
  for (const line of run.recent) console.log(line);
  const { world: _world, recent: _recent, ...rest } = run;
  console.log(JSON.stringify(rest, null, 2));
  process.exitCode = run.violations.length === 0 ? 0 : 1;
} else if (has('--mutants')) {
  // Brings the compiler along, which nothing else here needs.
  const { loadMutant, MUTANTS } = await import('./mutants.js');
  for (const mutant of MUTANTS) {
    const toolkit = await loadMutant(mutant);
    let found = 'NOT FOUND';
    for (let seed = 1; seed <= 200 && found === 'NOT FOUND'; seed += 1) {
      const [violation] = (await simulate(seed, toolkit)).violations;
      if (violation !== undefined) found = `seed ${seed}: ${violation.rule}: ${violation.detail}`;
    }
    console.log(`${mutant.name}: ${found}`);
  }
} else {
  const [from = 1, to = 1000] = (text('--seeds') ?? '1..1000').split('..').map(Number);
  const startedMs = performance.now();
  let virtualMs = 0;
  let failed = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const run = await simulate(seed);
    virtualMs += run.virtualMs;
    const [violation] = run.violations;
    if (violation === undefined) continue;
    failed += 1;
    console.log(`${seed} ${violation.rule}: ${violation.detail} (npm run sim -- --seed ${seed})`);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const hours = virtualMs / 3_600_000;
  console.log(`${to - from + 1} seeds, ${failed} failed, ${hours.toFixed(1)} virtual hours in ${seconds.toFixed(1)} s`);
  process.exitCode = failed === 0 ? 0 : 1;
}
