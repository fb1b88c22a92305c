import { readArguments } from '../../scripts/arguments.mjs';
import { rollingRestarts } from '../lifecycle/support/restarts.js';

/** Twenty rolling restarts under load; fails if a request is dropped. */
const TIMES = 20;
readArguments('npm run bench:restarts', {});

const { answered, dropped } = await rollingRestarts(TIMES);
console.log(`${TIMES} rolling restarts: ${answered} requests answered, ${dropped.length} dropped`);
for (const response of dropped.slice(0, 5)) console.log(`  ${response}`);
process.exitCode = dropped.length > 0 ? 1 : 0;
