/**
 * `npm run bench:fuzz [-- --seed N --operations N]`: sends 20,000 legal operations at the edges of every limit to the
 * metered built server, as one of the tests does with 200. Prints the seed, the progress, and each query that exceeded
 * a bound in full; then, or if more memory is held after a slice than the caches may hold, the exit code is 1.
 */
import { readArguments } from '../../scripts/arguments.mjs';
import { fuzz } from '../bounds/fuzz/fuzz.js';
import { type CacheFigure, exceeded } from '../bounds/support/cache-figures.js';
import { startMeteredStack } from '../bounds/support/metered-stack.js';

const SLICE = 500;
/** Megabytes of all caches of the process together, when full. */
const HELD_MB = 512;

const { seed, operations } = readArguments('npm run bench:fuzz [-- --seed N --operations N]', {
  seed: Date.now() % 2 ** 32,
  operations: 20_000,
});
console.log(`seed ${seed}`);
const stack = await startMeteredStack({ REQUEST_DEADLINE_MS: '100' });
try {
  const before = await stack.server.collect();
  for (let done = 0; done < operations; done += SLICE) {
    const count = Math.min(SLICE, operations - done);
    const { answered, refused, worst, broken: exceeding } = await fuzz(stack, seed + done, count);
    const broken = [...exceeding];
    const { heapBytes, outsideBytes } = await stack.server.collect();
    const heldMb = (heapBytes + outsideBytes - before.heapBytes - before.outsideBytes) / 1e6;
    const highest = Object.entries(worst).map(([name, value]) => `${name} ${value.toFixed(1)}`);
    console.log(`${done + count}: ${answered} answered, ${highest.join(', ')}, held ${heldMb.toFixed(1)} MB`);
    if (refused.size > 0)
      console.log(`  refused: ${[...refused].map(([code, times]) => `${code} ${times}`).join(', ')}`);
    const caches = await stack.server.caches();
    console.log(
      `  caches: ${caches
        .filter(({ bytes }) => bytes > 0)
        .map(inMegabytes)
        .join(', ')}`,
    );
    broken.push(...exceeded(caches));
    for (const line of broken) console.log(`  BROKEN: ${line}`);
    if (heldMb > HELD_MB) console.log(`  BROKEN: ${heldMb} MB are held`);
    if (broken.length > 0 || heldMb > HELD_MB) process.exitCode = 1;
  }
} finally {
  await stack.close();
}

function inMegabytes({ cache, bytes, boundBytes }: CacheFigure): string {
  return `${cache} ${(bytes / 1e6).toFixed(1)} of ${(boundBytes / 1e6).toFixed(0)} MB`;
}
