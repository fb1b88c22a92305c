import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../bounds/support/free-port.js';

/** An empty redis-server for the test alone, which writes nothing to disk. */
export interface RedisServer {
  readonly url: string;
  /** Keeps the server running, but without any reply until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** Kills the server at once. */
  kill(): Promise<void>;
  /** Starts it again, at the same address and empty. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts one, with further options; null, with a warning, if the program is not installed.
 */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer | null> {
  const program = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  if (!program.some((file) => existsSync(file))) {
    console.warn(
      'redis-server is not installed (`apt-get install redis-server`): the tests against Redis were left out.',
    );
    return null;
  }
  const port = await freePort();
  let server = await spawnRedis(port, more);
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    async restart() {
      server = await spawnRedis(port, more);
    },
    async close() {
      server.kill('SIGCONT');
      await end('SIGTERM');
    },
  };
}

/** A replica otherwise writes what its primary sends to a file before it reads it. */
const NO_FILES = ['--repl-diskless-sync', 'yes', '--repl-diskless-load', 'swapdb'];

/** A sentinel takes few options, and keeps what it knows in its first, which is a file. */
async function spawnRedis(port: number, more: readonly string[]) {
  const where = ['--port', String(port), '--bind', '127.0.0.1'];
  const isSentinel = more.includes('--sentinel');
  const options = isSentinel
    ? [...more, ...where]
    : [...where, '--save', '', '--appendonly', 'no', ...NO_FILES, ...more];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(server.stdout)) {
    if (/Ready to accept connections|Sentinel ID is/.test(line)) break;
  }
  server.stdout.resume();
  return server;
}
