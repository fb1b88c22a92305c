/**
 * `npm run bench:neighbour [-- --seconds N]`: for a minute unless told otherwise, one caller asks the worst that is
 * legal as often as they can. Prints what the neighbours saw of it; exit code 1 when one of them was answered wrong or
 * their slowest hundredth more than doubled.
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
    const { quiet, noisy, ratio, noise } = await compare(stack, questions, { bodies, seconds });
    console.log(`${name}: ${noise.answered} answers of ${(noise.bytes / 1e6).toFixed(0)} MB beside the neighbours`);
    for (const [phase, { asked, medianMs, p99Ms }] of Object.entries({ quiet, noisy })) {
      console.log(`  ${phase.padEnd(6)} ${asked} answers, p50 ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
    }
    console.log(`  p99 ×${ratio.toFixed(2)}`);
    for (const answer of noisy.wrong) console.log(`  BROKEN: ${answer}`);
    if (noisy.wrong.length > 0 || ratio > 2) process.exitCode = 1;
  }
} finally {
  await stack.close();
}
