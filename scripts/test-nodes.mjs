// `npm run test:nodes`: the quick tests on the oldest version of Node that is supported and on the newer lines, which npm
// brings as packages. Prints a line for each; exits with 1 if one fails.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { readArguments } from './arguments.mjs';
import { root } from './stale.mjs';

const VERSIONS = ['20.19.0', '22', '24'];

const { whole } = readArguments('npm run test:nodes [-- --whole]: with --whole all tests instead of the quick ones', {
  whole: false,
});
const system = process.platform === 'win32' ? 'win' : process.platform;
const failed = VERSIONS.filter((version) => {
  const node = programOf(version);
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const args = whole
    ? ['scripts/test.mjs']
    : ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.quick.config.ts'];
  const { status } = spawnSync(node, args, { cwd: root, env, stdio: 'inherit' });
  console.log(`${status === 0 ? '✓' : '✗'} Node ${version}`);
  return status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;

/** Where a version of Node is, once npm has installed it. */
function programOf(version) {
  const folder = join(root, 'node_modules', '.cache', 'nodes', version);
  mkdirSync(folder, { recursive: true });
  const name = `node-${system}-${process.arch}`;
  const install = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`];
  const { status } = spawnSync('npm', install, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`Node ${version} could not be installed: is the registry of npm reachable?`);
  return join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
