// `npm start` and the like: builds what has changed, then runs dist/main.js, or the four processes of `apart`, in this
// very process.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process, { argv, env, execPath, exit, kill, pid } from 'node:process';
import { pathToFileURL } from 'node:url';
import { root } from './stale.mjs';

const PARENT_MS = 250;

// npm sends signals to its shell, which ends by them without a word to what it runs.
if (env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && kill(pid, 'SIGTERM'), PARENT_MS).unref();
}
// Standard output belongs to the server and its log.
const { status } = spawnSync(execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
if (status !== 0) exit(status ?? 1);
const isApart = argv[2] === 'apart';
if (isApart) argv.splice(2, 1);
argv[1] = isApart ? join(root, 'scripts', 'start-apart.mjs') : join(root, 'dist', 'main.js');
await import(pathToFileURL(argv[1]).href);
