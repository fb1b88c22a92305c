// `npm test`: the checks one after the other, and beside them all tests. All are run to their end; one that fails, fails all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const CHECKS = ['lint', 'types', 'compose -- --check', 'docs:build -- --check'];

const [failedChecks, testsPass] = await Promise.all([runChecks(), runTests(process.argv.slice(2))]);

const failed = [...failedChecks, ...(testsPass ? [] : ['vitest'])];
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Each tells what it has to say when it has ended: the tests are speaking too. */
async function runChecks() {
  const failed = [];
  for (const check of CHECKS) {
    const child = spawn(`npm run --silent ${check} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    console.log(`\n${code === 0 ? '✓' : '✗'} npm run ${check}\n${said}`);
    if (code !== 0) failed.push(`npm run ${check}`);
  }
  return failed;
}

async function runTests(args) {
  const child = spawn('vitest', ['run', ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code === 0;
}
