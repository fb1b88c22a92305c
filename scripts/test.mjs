// `npm test`: the checks one after another, in parallel with all tests. All run to the end, and must all pass. With
// `long`, `pages` or `clients` as its argument, those runs of the tests alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Scripts of package.json with their arguments; npm has added the folder of their commands to the path. */
const CHECKS = [
  ['lint', ''],
  ['types', ''],
  ['compose', '--check'],
  ['docs:build', '--check'],
];
/** Longer runs, one after another: their variables, and arguments for vitest. */
const LONGER = {
  long: [
    [{ TEST_RUNS: '10' }, ['--testTimeout', '3000000']],
    [{ TEST_SHAPE: 'apart' }, ['test/scenarios', '--testTimeout', '3000000']],
  ],
  pages: [
    [{ TEST_RUNS: '10' }, ['test/browser']],
    [{ TEST_RUNS: '10', CHROMIUM_PATH: '' }, ['test/browser']],
  ],
  clients: [
    [{ TEST_RUNS: '10' }, ['test/examples']],
    [{ TEST_RUNS: '10', CHROMIUM_PATH: '' }, ['test/examples']],
  ],
};
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [first, ...others] = process.argv.slice(2);

const failed = [];
if (Object.hasOwn(LONGER, first)) {
  for (const [variables, args] of LONGER[first]) {
    if (failed.length === 0) failed.push(...(await runTests([...args, ...others], variables)));
  }
} else {
  failed.push(...(await Promise.all([runChecks(), runTests(process.argv.slice(2))])).flat());
  console.log('Left to npm run test:long: the tests that are marked IS_LONG.');
}
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/**
 * Prints each check's output when it has ended, as the tests print too. Checks take the time that the tests leave, so
 * they should do little work: the compiler, a Go program, collects no garbage, which takes 0.7 GB instead of 0.6.
 */
async function runChecks() {
  const failed = [];
  for (const [name, args] of CHECKS) {
    const command = `(${scripts[name]} ${args}) 2>&1`;
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, GOGC: 'off' },
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    console.log(`\n${code === 0 ? '✓' : '✗'} npm run ${name}\n${said}`);
    if (code !== 0) failed.push(`npm run ${name}`);
  }
  return failed;
}

async function runTests(args, variables = {}) {
  // Not its command, which is a script of the shell on Windows.
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [vitest, 'run', ...args], { stdio: 'inherit', env });
  const [code] = await once(child, 'close');
  return code === 0 ? [] : ['vitest'];
}
