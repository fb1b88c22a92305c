/**
 * `npm run bench:neighbour [-- --seconds N]`: for a minute unless told otherwise, one caller asks the worst that is
 * legal as often as they can. Prints what the neighbours saw of it, in milliseconds that the server worked; exit code 1
 * when one of them was answered wrong, or their slowest hundredth took more than twice as long as without that caller.
 */
import { compare } from '../bounds/neighbour/compare.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from '../bounds/neighbour/worst-operations.js';
import { startMeteredStack } from '../bounds/support/metered-stack.js';
import { learnSmallOperations } from '../bounds/support/small-operations.js';
import { numberAfter } from './number-after.js';

const seconds = numberAfter('--seconds') ?? 60;
const stack = await startMeteredStack();
try {
  const operations = await learnSmallOperations(stack);
  for (const [name, bodies] of Object.entries({ rows: WORST_OPERATIONS, plans: FRESH_DOCUMENTS })) {
    const { phases, ratios, noisyPieces, noise } = await compare(stack, operations, { bodies, seconds });
    console.log(`${name}: ${noise.answered} answers of ${(noise.bytes / 1e6).toFixed(0)} MB beside the neighbours`);
    for (const [phase, { requests, medianMs, p99Ms }] of Object.entries(phases)) {
      console.log(
        `  ${phase.padEnd(8)} ${requests} responses, p50 ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      );
    }
    const { toOrdinary, toQuiet } = ratios;
    console.log(
      `  p99 ×${toQuiet.toFixed(2)} of alone, ×${toOrdinary.toFixed(2)} of beside an ordinary caller; ${noisyPieces.toFixed(1)} pieces`,
    );
    const wrong = Object.values(phases).flatMap((phase) => phase.wrong);
    for (const response of wrong) console.log(`  BROKEN: ${response}`);
    if (wrong.length > 0 || (toQuiet > 2 && noisyPieces > 2)) process.exitCode = 1;
  }
} finally {
  await stack.close();
}
