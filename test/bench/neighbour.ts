/**
 * `npm run bench:neighbour [-- --seconds N]`: for a minute unless told otherwise, one caller asks the worst that is
 * legal as often as they can. Prints what the neighbours saw of it, in milliseconds that the server worked; exit code 1
 * when one of them was answered wrong, or their slowest hundredth took more than twice as long as beside an ordinary
 * caller.
 */
import { compare } from '../bounds/neighbour/compare.js';
import { FRESH_QUESTIONS, WORST_QUESTIONS } from '../bounds/neighbour/worst-questions.js';
import { startMeteredStack } from '../bounds/support/metered-stack.js';
import { learnSmallQuestions } from '../bounds/support/small-questions.js';
import { numberAfter } from './number-after.js';

const seconds = numberAfter('--seconds') ?? 60;
const stack = await startMeteredStack();
try {
  const questions = await learnSmallQuestions(stack);
  for (const [name, bodies] of Object.entries({ rows: WORST_QUESTIONS, plans: FRESH_QUESTIONS })) {
    const { phases, ratios, noisyPieces, noise } = await compare(stack, questions, { bodies, seconds });
    console.log(`${name}: ${noise.answered} answers of ${(noise.bytes / 1e6).toFixed(0)} MB beside the neighbours`);
    for (const [phase, { asked, medianMs, p99Ms }] of Object.entries(phases)) {
      console.log(`  ${phase.padEnd(8)} ${asked} answers, p50 ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
    }
    const { toOrdinary, toQuiet } = ratios;
    console.log(
      `  p99 ×${toOrdinary.toFixed(2)} beside an ordinary caller, ×${toQuiet.toFixed(2)} alone; ${noisyPieces.toFixed(1)} pieces`,
    );
    const wrong = Object.values(phases).flatMap((phase) => phase.wrong);
    for (const answer of wrong) console.log(`  BROKEN: ${answer}`);
    if (wrong.length > 0 || (toOrdinary > 2 && noisyPieces > 3)) process.exitCode = 1;
  }
} finally {
  await stack.close();
}
