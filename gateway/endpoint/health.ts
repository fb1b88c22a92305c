import type { FastifyInstance } from 'fastify';
import type { Phase } from '../../runtime/process/lifecycle.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';

export interface HealthOptions {
  readonly subgraphs: Subgraphs;
  /** Where the process stands: queries are answered only while it is ready. */
  phase(): Phase;
}

/**
 * `GET /healthz`: the process is alive. `GET /readyz`: 200 as soon as queries are answered, whatever state the sources
 * are in; 503 while starting or draining.
 */
export function serveHealth(server: FastifyInstance, { subgraphs, phase }: HealthOptions): void {
  server.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const status = phase();
    const sources = await subgraphs.ask();
    const upstreams = subgraphs.upstreams();
    return reply
      .code(status === 'ready' ? 200 : 503)
      .headers({ 'cache-control': 'no-store', 'x-passerelle-upstreams': upstreams })
      .send({ status, upstreams, sources });
  });
}
