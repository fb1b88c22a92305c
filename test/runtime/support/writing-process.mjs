import { openOutput } from '../../../dist/runtime/process/logging.js';

/** Writes lines of a kilobyte to standard output as fast as it can, then ends in the given way. */

const [, , rounds = '', end = ''] = process.argv;
const LINES = 1_000;
const output = openOutput((lines) => output.write(`${lines} missing\n`));

let line = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  for (const last = line + LINES; line < last; line += 1) output.write(`${line} `.padEnd(1023, '-').concat('\n'));
  await new Promise((resolve) => setImmediate(resolve));
  if (round % 10 === 9) process.send?.({ dropped: output.dropped, memory: process.memoryUsage.rss() });
}
if (end === 'exit') process.exit(3);
if (end === 'throw') {
  output.write('last\n');
  throw new Error('a bug');
}
process.channel?.unref();
