import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
