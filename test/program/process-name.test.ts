import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxVariables } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { SHORT_LIVED } from '../v8-flags.js';

/** Guards that lines and metrics of many processes, sent to one place, can be told apart and followed. */

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const ID = 'a-request-of-this-test';

let sandbox: Sandbox;
let program: ChildProcess | null = null;
beforeAll(async () => {
  sandbox = await startSandbox({ scale: 0.01 });
});
afterAll(async () => {
  program?.kill();
  await sandbox.close();
});

it('every line is JSON that names the process, and a request leads to its upstream calls', async () => {
  const own = { PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'debug', CACHE_DIR: 'off' };
  const env = { PATH: process.env['PATH'] ?? '', ...sandboxVariables(sandbox, 'volunteering'), ...own };
  const started = spawn(process.execPath, [...SHORT_LIVED, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  program = started;
  let text = '';
  started.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const until = async (msg: RegExp) => {
    for (;;) {
      const found = lines().find((line) => msg.test(line['msg'] ?? ''));
      if (found !== undefined) return found;
      await once(started.stdout, 'data');
    }
  };
  const { url } = await until(/^Passerelle answers at http:.*\/graphql$/);
  await until(/^startup complete$/);
  const body = JSON.stringify({ query: '{ missions(first: 1) { nodes { id } } }' });
  const headers = { 'content-type': 'application/json', 'x-request-id': ID };
  await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).text();
  const call = () => lines().find(({ msg, requestId }) => msg === 'upstream call' && requestId === ID);
  while (call() === undefined) await once(started.stdout, 'data');
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
  for (const { role, instance, ...line } of lines()) {
    expect([role, instance, line['version']]).toEqual(['all', expect.stringMatching(`^.+:${started.pid}$`), version]);
  }
});
