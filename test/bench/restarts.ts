import { readArguments } from '../../scripts/arguments.mjs';
import { reloads } from '../lifecycle/support/reloads.js';
import { rollingRestarts } from '../lifecycle/support/restarts.js';

/** Twenty rolling restarts and twenty reloads of a foreign supergraph, under load; fails if a request is dropped. */
const TIMES = 20;
readArguments('npm run bench:restarts', {});

const restarted = await rollingRestarts(TIMES);
const reloaded = await reloads(TIMES);
for (const [what, { answered, dropped }] of Object.entries({ 'rolling restarts': restarted, reloads: reloaded })) {
  console.log(`${TIMES} ${what}: ${answered} requests answered, ${dropped.length} dropped`);
  for (const response of dropped.slice(0, 5)) console.log(`  ${response}`);
}
process.exitCode = restarted.dropped.length + reloaded.dropped.length > 0 ? 1 : 0;
