/**
 * `npm run bench:neighbour [-- --seconds N --apart]`: for a minute, or N seconds, one caller sends the worst that is legal as
 * often as they can. Prints how that affects the neighbours, in milliseconds that the server worked. Exit code 1 if one
 * of them got a wrong response, or if their slowest hundredth took more than twice as long as without that caller.
 */
import { readArguments } from '../scripts/arguments.mjs';
import { compare, MANY_ADDRESSES } from '../test/bounds/neighbour/compare.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from '../test/bounds/neighbour/worst-operations.js';
import { startMeteredStack } from '../test/bounds/support/metered-stack.js';
import { learnSmallOperations } from '../test/bounds/support/small-operations.js';

const { seconds, apart } = readArguments('npm run bench:neighbour [-- --seconds N --apart]', {
  seconds: 60,
  apart: false,
});
const stack = await startMeteredStack(MANY_ADDRESSES, [], apart);
try {
  const operations = await learnSmallOperations(stack);
  for (const [name, bodies] of Object.entries({ rows: WORST_OPERATIONS, plans: FRESH_DOCUMENTS })) {
    const { alone, beside, ratio, noise } = await compare(stack, operations, { bodies, seconds, rounds: 5 });
    console.log(`${name}: ${noise.answered} answers of ${(noise.bytes / 1e6).toFixed(0)} MB beside the neighbours`);
    for (const [phase, { requests, medianMs, p99Ms }] of Object.entries({ alone, beside })) {
      console.log(
        `  ${phase.padEnd(6)} ${requests} responses, p50 ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      );
    }
    console.log(`  p99 ×${ratio.toFixed(2)}`);
    const wrong = [...alone.wrong, ...beside.wrong];
    for (const response of wrong) console.log(`  BROKEN: ${response}`);
    if (wrong.length > 0 || !(ratio <= 2)) process.exitCode = 1;
  }
} finally {
  await stack.close();
}
