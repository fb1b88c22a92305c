// `npm test`: the checks one after another, in parallel with all tests. All run to the end, and must all pass.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** Scripts of package.json with their arguments; npm has added the folder of their commands to the path. */
const CHECKS = [
  ['lint', ''],
  ['types', ''],
  ['compose', '--check'],
  ['docs:build', '--check'],
];
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const [failedChecks, testsPass] = await Promise.all([runChecks(), runTests(process.argv.slice(2))]);

const failed = [...failedChecks, ...(testsPass ? [] : ['vitest'])];
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

async function runTests(args) {
  const child = spawn('vitest', ['run', ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code === 0;
}
