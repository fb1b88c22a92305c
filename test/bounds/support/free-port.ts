import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that no system gives to connections, which could take one before the test listens at it. */
const [FIRST_PORT, LAST_PORT] = [10_240, 32_000];

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(server.close(), 'close');
    return port;
  }
  throw new Error('No port is free.');
}

/** Tries for ports in a row: nearly all succeed at once. */
const MOST_TRIES = 100;

/** The first of so many ports in a row at which nobody listened a moment ago. */
export async function freePorts(count: number): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const first = await freePort();
    const servers = Array.from({ length: count }, (_, step) => createServer().listen(first + step, '127.0.0.1'));
    const listening = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    await Promise.all(servers.filter(({ listening }) => listening).map((server) => once(server.close(), 'close')));
    if (listening.every(({ status }) => status === 'fulfilled')) return first;
  }
  throw new Error(`No ${count} ports in a row are free.`);
}
