/**
 * `npm run bench:soak [-- --minutes N]`: runs the whole product under a mix of good queries, every fault of the
 * sandbox, and a Redis that is frozen and killed (if redis-server is installed), for ten minutes or N. After a warm-up
 * of six minutes, and again at the end, everything rests for a while, and the resources of the product's process are
 * measured. Exit code 1 if they have grown by more than their limits, or if there was a response that no trouble
 * excuses. Everything stays on this machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { variablesOf } from '../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../sandbox/index.js';
import { readArguments } from '../scripts/arguments.mjs';
import { type RedisServer, startRedis } from '../test/auth/support/redis.js';
import { createChance } from '../test/chance.js';
import { FIGURES, type Figures, LIMITS, type Limit } from './soak/figures.js';
import { startLoad } from './soak/load.js';
import { soakOperations } from './soak/soak-operations.js';
import { startTrouble } from './soak/trouble.js';

const PRODUCT = fileURLToPath(new URL('./soak/product.ts', import.meta.url));
/** A young generation of fixed size, and a collector that can be called. */
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--expose-gc', '--no-warnings'];
/** Makes the system's allocator return freed memory immediately. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '131072' };
/** Until Redis is found again, and the collector has released what it does not need. */
const CALM_MS = 25_000;
const PRINT_EVERY_MS = 30_000;
/** Until each query has been sent, each trouble has occurred, the compiler is done and caches hold what they hold later. */
const WARM_UP_MINUTES = 6;

const { minutes } = readArguments('npm run bench:soak [-- --minutes N]', { minutes: 10 });

const sandbox = await startSandbox();
const redis = await startRedis();
const product = await startProduct(sandbox, redis);
try {
  console.log('warming up');
  const warmUp = await shake(WARM_UP_MINUTES);
  // How much the system leaves to an idle process is chance: at the end it must be no more than the warm-up needed.
  const before = { ...(await calmFigures()), rssMb: warmUp.mostRssMb };
  console.log('measured; and now for real');
  const broken = [...warmUp.broken, ...(await shake(minutes)).broken];
  const worse = compare(before, await calmFigures());
  for (const [line, times] of product.said) console.log(`  logged ${times} times: ${line}`);
  for (const [what, times] of broken) console.log(`  BROKEN, ${times} times: ${what}`);
  process.exitCode = worse || broken.length > 0 ? 1 : 0;
} finally {
  product.child.send('close');
  await once(product.child, 'exit');
  await redis?.close();
  await sandbox.close();
}

interface Product {
  readonly child: ChildProcess;
  readonly url: string;
  said: readonly (readonly [line: string, times: number])[];
}

async function startProduct(sandbox: Sandbox, redis: RedisServer | null): Promise<Product> {
  const env = {
    ...variablesOf(sandbox),
    ...(redis !== null && { CACHE_URL: redis.url }),
    ...ALLOCATOR,
    ...{ PATH: process.env['PATH'], PORT: '0', CACHE_DIR: 'off', SESSION_SECRET: 'a-secret-of-the-soak-and-no-other' },
  };
  const child = fork(PRODUCT, [], { env, execArgv: [...process.execArgv, ...FLAGS] });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { child, url, said: [] };
}

interface Shaken {
  /** Responses that nothing excuses, and how often they occurred. */
  readonly broken: ReadonlyMap<string, number>;
  readonly mostRssMb: number;
}

/** Runs load and trouble for this many minutes, and prints the progress every half minute. */
async function shake(minutes: number): Promise<Shaken> {
  const chance = createChance(1);
  const load = startLoad({ url: product.url, sandbox, operations: await soakOperations(sandbox), chance });
  const trouble = startTrouble({ sandbox, redis, chance: chance.fork() });
  const untilMs = performance.now() + minutes * 60_000;
  let mostRssMb = 0;
  while (performance.now() < untilMs) {
    await pause(Math.min(PRINT_EVERY_MS, untilMs - performance.now()));
    const { answered, withErrors, left, broken } = load.counts;
    const rssMb = await glance();
    mostRssMb = Math.max(mostRssMb, rssMb);
    console.log(
      `  ${answered} answered (${withErrors} with errors), ${left} given up, ${broken.size} kinds broken; ${rssMb} MB`,
    );
  }
  await Promise.all([load.stop(), trouble.stop()]);
  console.log(`  troubles: ${[...trouble.counts].map(([kind, times]) => `${kind} ${times}`).join(', ')}`);
  return { broken: load.counts.broken, mostRssMb };
}

async function calmFigures(): Promise<Figures> {
  // Otherwise idle connections would count, whose number is chance.
  for (const service of sandbox.running) await service.stopListening().then(() => service.startListening());
  await pause(CALM_MS);
  return figures();
}

async function glance(): Promise<number> {
  product.child.send('glance');
  const [{ rssMb }] = (await once(product.child, 'message')) as [{ rssMb: number }];
  return Math.round(rssMb);
}

async function figures(): Promise<Figures> {
  product.child.send('measure');
  const [message] = (await once(product.child, 'message')) as [{ figures: Figures; said: Product['said'] }];
  product.said = message.said;
  return message.figures;
}

/** Prints both; returns whether any figure has grown by more than its limit. */
function compare(before: Figures, after: Figures): boolean {
  let worse = false;
  for (const name of FIGURES) {
    const { share, beside }: Limit = LIMITS[name];
    const [was, is] = [before[name], after[name]];
    const within = is - was <= was * share + beside;
    worse ||= !within;
    const change = was === 0 ? '' : `${((is / was - 1) * 100).toFixed(1)} %`;
    console.log(
      `${name.padEnd(12)} ${was.toFixed(1).padStart(10)} ${is.toFixed(1).padStart(10)} ${change.padStart(9)}${within ? '' : '  TOO FAR'}`,
    );
  }
  return worse;
}
