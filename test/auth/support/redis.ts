import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A redis-server of the test's own, empty, which writes nothing to disk. */
export interface RedisServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts one; null, said in one line, on a machine without the program (Debian: `apt-get install redis-server`). */
export async function startRedis(): Promise<RedisServer | null> {
  const program = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  if (!program.some((file) => existsSync(file))) {
    console.warn('redis-server is not installed: the tests against Redis were left out.');
    return null;
  }
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface(server.stdout);
  for await (const line of lines) {
    if (line.includes('Ready to accept connections')) break;
  }
  server.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
