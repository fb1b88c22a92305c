import { readArguments } from '../../scripts/arguments.mjs';
import { fuzzEndpoint, HANG_PIECES } from '../fuzz/run.js';
import { startStack } from '../scenarios/stack.js';

/** `npm run bench:malformed [-- --requests N]`: sends a hundred thousand (or N) requests that are nearly legal. */
const { requests: count } = readArguments('npm run bench:malformed [-- --requests N]', { requests: 100_000 });
const PIECE = 2_000;

const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 } });
const statuses = new Map<number, number>();
const startedMs = performance.now();
let [slowestMs, slowestPieces, found] = [0, 0, 0];
for (let first = 1; first <= count; first += PIECE) {
  const result = await fuzzEndpoint(stack.url, stack.sandbox, { first, count: Math.min(PIECE, count - first + 1) });
  for (const [status, times] of result.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  slowestMs = Math.max(slowestMs, result.slowestMs);
  slowestPieces = Math.max(slowestPieces, result.slowestPieces);
  found += result.findings.length;
  for (const finding of result.findings.slice(0, 3)) console.log(finding);
  stack.forgetCalls();
}
await stack.close();
console.log(Object.fromEntries([...statuses].sort()));
console.log(
  `${count} requests in ${Math.round((performance.now() - startedMs) / 1000)} s, the slowest ${Math.round(slowestMs)} ms, ${slowestPieces.toFixed(0)} pieces of the calibrating work`,
);
console.log(`${found} that failed, hung or told a secret`);
process.exit(found > 0 || slowestPieces > HANG_PIECES ? 1 : 0);
