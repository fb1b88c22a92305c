import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Guards that a mistyped option of a script is refused, before it writes a file or measures for minutes. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPT = `import { readArguments } from './scripts/arguments.mjs';
console.log(JSON.stringify(readArguments('npm run thing', { check: false, rounds: 3 })));`;

it.each([
  [[], 0, '{"check":false,"rounds":3}'],
  [['--check', '--rounds', '7'], 0, '{"check":true,"rounds":7}'],
  [['--help'], 0, 'npm run thing'],
  [['--chek'], 2, "Unknown option '--chek'.\nnpm run thing"],
  [['7'], 2, "Unexpected argument '7'.\nnpm run thing"],
  [['--rounds', 'many'], 2, '--rounds takes a number.\nnpm run thing'],
])('a script with %j ends with %d', (args, code, output) => {
  const flags = ['--input-type=module', '-e', SCRIPT, '--', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { cwd: root, encoding: 'utf8' });
  expect([status, (stdout + stderr).trim()]).toEqual([code, output]);
});

it('every script of package.json reads its arguments', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
  // These get none, or pass them on.
  const others = ['scripts/build.mjs', 'scripts/start.mjs'];
  const files = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/(?:tsx|node) ((?:scripts|schema|test)\/\S+\.(?:ts|mjs))/g)].map(([, file = '']) => file),
  );
  expect(files.length).toBeGreaterThan(12);
  const silent = files.filter(
    (file) => !/readArguments|parseArgs|readOptions|process\.argv/.test(readFileSync(`${root}${file}`, 'utf8')),
  );
  expect(silent.filter((file) => !others.includes(file))).toEqual([]);
});
