import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { Log } from '../../kernel/log.js';
import { isLoopback } from '../configuration/configuration.js';
import { publicNameIn } from '../http/request-headers.js';
import { ARRIVAL, boundResponses, secureResponses, serverSettings } from '../http/server.js';
import type { Metrics } from './metrics.js';

/** The metrics, and the address that they are exposed on. */
interface MetricsListenerOptions {
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Milliseconds within which a scraper, which is near and quick, must read some of its response; 10 s if omitted. */
  readonly idleMs?: number;
  readonly log: Log;
}

/**
 * Serves `GET /metrics`, and at `GET /sources` what the process knows of its sources, on a listener of its own, so that
 * they need not be as public as the graph. It is open until it is closed.
 */
export async function listenMetrics({ metrics, host, port, idleMs = 10_000, log }: MetricsListenerOptions) {
  const server = fastify({
    ...serverSettings(log),
    http: ARRIVAL,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
  });
  secureResponses(server.server);
  boundResponses(server, idleMs, log);
  server.addHook('onRequest', async ({ headers }, reply) => {
    reply.header('cache-control', 'no-store');
    if (isLoopback(host) && publicNameIn(headers) !== null) return reply.code(421).send();
  });
  server.setErrorHandler((error, _request, reply) => {
    log.error({ err: error }, 'a request of the metrics failed');
    return reply.code(500).send();
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  server.get('/sources', async (_request, reply) => (await metrics.sources()) ?? reply.callNotFound());
  await server.listen({ host, port });
  return { port: (server.server.address() as AddressInfo).port, close: async () => server.close() };
}
