import { parseArgs } from 'node:util';
import { type Run, simulate } from './simulate.js';

const HELP = `Plays the REST toolkit in simulated worlds: services, replicas and a shared store that fail, on a virtual clock.

  npm run sim                       the seeds 1 to 2000
  npm run sim -- --seeds 1..20000   these seeds; prints each that breaks a promise
  npm run sim -- --seed 175         one seed again: its world, its last events, and what became of it
  npm run sim -- --help             this text

The same seed is the same run, event by event, as long as the code is the same. A seed that found a bug belongs in
test/sim/seeds.json, which \`npm test\` plays.
Exits with 0 if no promise was broken, 1 if one was, 2 for wrong arguments.`;

/** How often progress is printed. */
const PRINT_EVERY_MS = 10_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const args = readArguments();
  if (args === null) {
    console.error(HELP);
    return 2;
  }
  if (args.help === true) {
    console.log(HELP);
    return 0;
  }
  return args.seed === undefined ? playAll(args.from, args.to) : replay(args.seed);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        seed: { type: 'string' },
        seeds: { type: 'string', default: '1..2000' },
      },
    });
    const [from = Number.NaN, to = Number.NaN] = values.seeds.split('..').map(Number);
    const seed = values.seed === undefined ? undefined : Number(values.seed);
    const numbers = [from, to, seed ?? 0];
    if (!numbers.every(Number.isSafeInteger) || from > to) return null;
    return { ...values, seed, from, to };
  } catch {
    return null;
  }
}

/** One seed, as a story. */
async function replay(seed: number): Promise<number> {
  const run = await simulate(seed);
  console.log(`The world of seed ${seed}: ${JSON.stringify(run.world, null, 2)}\n\nWhat happened last:`);
  for (const line of run.recent) console.log(line);
  const { calls, answered, sent, refusals, events, hash, virtualMs, violations } = run;
  const minutes = (virtualMs / 60_000).toFixed(1);
  console.log(`\n${calls} calls, ${answered} answered, ${sent} sent, ${refusals} refused by the service`);
  console.log(`${events} events in ${minutes} virtual minutes, hash ${hash.toString(16)}`);
  for (const { rule, atMs, detail } of violations)
    console.log(`BROKEN at ${(atMs / 1000).toFixed(3)} s: ${rule}: ${detail}`);
  if (violations.length === 0) console.log('No promise was broken.');
  return violations.length === 0 ? 0 : 1;
}

async function playAll(from: number, to: number): Promise<number> {
  const startedMs = performance.now();
  let printedMs = startedMs;
  let virtualMs = 0;
  let failed = 0;
  const sum = (played: number) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const hours = (virtualMs / 3_600_000).toFixed(1);
    return `${played} seeds, ${failed} failed, ${hours} virtual hours in ${seconds} s`;
  };
  for (let seed = from; seed <= to; seed += 1) {
    const run = await simulate(seed);
    virtualMs += run.virtualMs;
    if (run.violations.length > 0) {
      failed += 1;
      console.log(`${storyOf(run)} (npm run sim -- --seed ${seed})`);
    }
    if (performance.now() - printedMs < PRINT_EVERY_MS) continue;
    printedMs = performance.now();
    console.error(`… ${sum(seed - from + 1)}`);
  }
  console.log(sum(to - from + 1));
  return failed === 0 ? 0 : 1;
}

function storyOf({ seed, violations }: Run): string {
  const [first] = violations;
  return `seed ${seed} at ${((first?.atMs ?? 0) / 1000).toFixed(1)} s: ${first?.rule}: ${first?.detail}`;
}
