import type { FastifyInstance } from 'fastify';
import type { Phase } from '../../runtime/process/lifecycle.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';

/** What the health routes report on. */
export interface HealthOptions {
  readonly subgraphs: Subgraphs;
  /** The phase of the process: queries are answered only while it is `ready`. */
  phase(): Phase;
}

/**
 * Serves `GET /healthz`, 200 while the process is alive, and `GET /readyz`, 200 while queries are answered, whatever
 * the state of the sources, and 503 while starting or draining.
 */
export function serveHealth(server: FastifyInstance, { subgraphs, phase }: HealthOptions): void {
  server.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const status = phase();
    const sources = await subgraphs.fetchReports();
    const upstreams = subgraphs.upstreams();
    return reply
      .code(status === 'ready' ? 200 : 503)
      .headers({ 'cache-control': 'no-store', 'x-passerelle-upstreams': upstreams })
      .send({ status, upstreams, sources });
  });
}
