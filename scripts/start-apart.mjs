// `npm run start:apart`: each subgraph and the gateway as a process, which share a token of their own. Ends
// with the first of them, or with a signal.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readArguments } from './arguments.mjs';
import { root } from './stale.mjs';

readArguments('npm run start:apart: four processes, whose settings are variables as for npm start', {});

const { SERVICES } = await import('../dist/kernel/services.js');

const token = process.env.SUBGRAPH_TOKEN ?? randomBytes(32).toString('hex');
// The metrics of four processes cannot share a port.
const { METRICS_PORT: _, ...environment } = { ...process.env, SUBGRAPH_TOKEN: token };
const processes = [];
let isEnding = false;

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(signal));

await Promise.all(SERVICES.map((name) => ready(run('subgraph', name))));
if (!isEnding) run('gateway');

function run(...role) {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...role], {
    // A subgraph has a port of its own; PORT is the gateway's.
    env: role[0] === 'gateway' ? environment : { ...environment, PORT: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  // Lines of JSON, since it is no terminal; where a person reads, the first one is shown as `npm start` shows it.
  if (process.stdout.isTTY) createInterface({ input: child.stdout }).on('line', (line) => console.log(readable(line)));
  else child.stdout.pipe(process.stdout, { end: false });
  child.once('exit', (code) => {
    process.exitCode ||= isEnding ? 0 : (code ?? 1);
    end('SIGTERM');
  });
  return child;
}

function readable(line) {
  const { msg, hints } = line.startsWith('{') ? JSON.parse(line) : {};
  return hints === undefined ? line : [msg, ...hints.map((hint) => `  ${hint}`)].join('\n');
}

/** Resolves with its first output, or its end: a process prints its banner once it listens. */
function ready(child) {
  return new Promise((resolve) => {
    child.stdout.once('data', resolve);
    child.once('exit', resolve);
  });
}

function end(signal) {
  isEnding = true;
  for (const child of processes) child.kill(signal);
}
