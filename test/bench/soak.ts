/**
 * `npm run bench:soak [-- --minutes N]`: the whole product under a mix of good queries, every fault of the sandbox,
 * and a Redis that is stopped and killed (where redis-server is installed), for ten minutes unless it is told another
 * number. After a warm-up of three minutes, and again at the end, all is let be for a while, and what the product's
 * process holds is measured. Exit code 1 when it holds more or less than before, or answered what no trouble excuses.
 * Everything stays on this machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { readArguments } from '../../scripts/arguments.mjs';
import { type RedisServer, startRedis } from '../auth/support/redis.js';
import { createChance } from '../sim/chance.js';
import { FIGURES, type Figures, LIMITS, type Limit } from './soak/figures.js';
import { startLoad } from './soak/load.js';
import { soakOperations } from './soak/soak-operations.js';
import { startTrouble } from './soak/trouble.js';

const PRODUCT = fileURLToPath(new URL('./soak/product.ts', import.meta.url));
/** With a young generation that neither grows nor shrinks and a collector that can be called. */
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--expose-gc', '--no-warnings'];
/** The system's allocator gives back at once what is freed. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '131072' };
/** Until Redis is found again and the collector has given back what it need not keep. */
const CALM_MS = 25_000;
const PRINT_EVERY_MS = 30_000;
/** Until each query was requested, each trouble came and the compiler is done. */
const WARM_UP_MINUTES = 3;

const { minutes } = readArguments('npm run bench:soak [-- --minutes N]', { minutes: 10 });

const sandbox = await startSandbox();
const redis = await startRedis();
const product = await startProduct(sandbox, redis);
try {
  console.log('warming up');
  const warmUp = await shake(WARM_UP_MINUTES);
  // What the system leaves to an idle process is chance: in the end it must be no more than the warm-up needed.
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
  /** What was answered that nothing excuses, and how often. */
  readonly broken: ReadonlyMap<string, number>;
  readonly mostRssMb: number;
}

/** Questions and trouble for so long; tells each half minute how it goes. */
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
  // Else idle connections would count, of which there are more or fewer by chance.
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

/** Prints both. Whether one of them is further from the other than it may be. */
function compare(before: Figures, after: Figures): boolean {
  let worse = false;
  for (const name of FIGURES) {
    const { share, beside, mayFall = false }: Limit = LIMITS[name];
    const [was, is] = [before[name], after[name]];
    const within = (mayFall && is < was) || Math.abs(is - was) <= was * share + beside;
    worse ||= !within;
    const change = was === 0 ? '' : `${((is / was - 1) * 100).toFixed(1)} %`;
    console.log(
      `${name.padEnd(12)} ${was.toFixed(1).padStart(10)} ${is.toFixed(1).padStart(10)} ${change.padStart(9)}${within ? '' : '  TOO FAR'}`,
    );
  }
  return worse;
}
