import { readArguments } from '../scripts/arguments.mjs';
import { floodBehind, restartBehind } from '../test/lifecycle/support/behind-proxy.js';
import { whyMissing } from '../test/lifecycle/support/proxies.js';

/**
 * Rolling restarts through the proxies of deploy/, and 9,000 half requests of one address to them; fails if a request of
 * another is lost, or answered after more than a second of the attack.
 */
const { rounds, halves } = readArguments('npm run bench:restarts -- [--rounds 25] [--halves 9000]', {
  rounds: 25,
  halves: 9_000,
});
for (const name of ['nginx', 'haproxy'] as const) {
  const why = whyMissing(name);
  if (why !== null) {
    console.log(`${name} is left out: ${why}`);
    continue;
  }
  const flood = await floodBehind(name, halves, 20);
  const { answered, dropped } = await restartBehind(name, rounds);
  console.log(
    `${name}: of ${halves} half requests of one address ${flood.held} stay; others wait ${Math.round(flood.slowestMs)} ms ` +
      `at most, ${flood.dropped.length} are lost; ${2 * rounds} restarts: ${answered} answered, ${dropped.length} lost`,
  );
  for (const response of [...flood.dropped, ...dropped].slice(0, 5)) console.log(`  ${response}`);
  if (flood.dropped.length + dropped.length > 0 || flood.slowestMs > 1_000) process.exitCode = 1;
}
