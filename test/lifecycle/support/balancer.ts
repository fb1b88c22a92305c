import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { until } from './until.js';

/** How often backends are checked for readiness, in milliseconds. */
const CHECK_MS = 20;

/** A load balancer that honours `/readyz`, keeps connections alive, and retries nothing. */
export interface Balancer {
  readonly url: string;
  /** Adds a backend; resolves once it is ready. */
  add(backend: string): Promise<void>;
  remove(backend: string): void;
  close(): Promise<void>;
}

/** Opens a balancer without backends. A request that fails behind it gets a 502. */
export async function openBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAliveTimeout: 60_000 });
  const ready = new Map<string, boolean>();
  let turn = 0;

  async function check(backend: string): Promise<void> {
    const { statusCode, body } = await request(`${backend}/readyz`, { dispatcher: agent });
    await body.dump();
    if (ready.has(backend)) ready.set(backend, statusCode === 200);
  }
  const checks = setInterval(() => {
    for (const backend of ready.keys()) check(backend).catch(() => ready.has(backend) && ready.set(backend, false));
  }, CHECK_MS);

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const able = [...ready].filter(([, isReady]) => isReady).map(([backend]) => backend);
    turn += 1;
    try {
      const response = await request(`${able[turn % able.length]}${incoming.url}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: agent,
      });
      const sent = await response.body.text();
      outgoing.writeHead(response.statusCode, { 'content-type': 'application/json' }).end(sent);
    } catch (error) {
      outgoing.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ dropped: String(error) }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(backend) {
      ready.set(backend, false);
      await until(() => ready.get(backend) === true);
    },
    remove: (backend) => void ready.delete(backend),
    async close() {
      clearInterval(checks);
      server.close();
      server.closeAllConnections();
      await agent.close();
    },
  };
}
