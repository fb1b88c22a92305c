import type { FastifyInstance } from 'fastify';
import { callOf, paramsOf } from '../../../sandbox/server/call.js';
import { compressJson } from '../../../sandbox/server/proxy.js';
import { type ServiceOptions, startService } from '../../../sandbox/server/service.js';
import type { SandboxService } from '../../../sandbox/server/types.js';

/** Makes the JSON of `/api/things/:id` longer than 600 bytes, enough to be compressed and cut. */
const FILLING = 'été '.repeat(120);

/** A service with one route for reading and one for writing, whose responses are easy to tell from a proxy's. */
export function startTestService(options: Partial<ServiceOptions> = {}): Promise<SandboxService> {
  return startService({
    name: 'test',
    basePath: '/api',
    routes: addRoutes,
    keyName: (headers) => headers['x-api-key']?.toString() ?? 'none',
    notFound: (_request, reply) => reply.code(404).send({ own: 'not found' }),
    failure: (status, _request, reply) => reply.code(status).send({ own: 'failure' }),
    rateLimited: (_request, reply) => reply.code(429).header('retry-after', '60').send({ own: 'too many' }),
    decorate(_request, reply, payload) {
      reply.header('x-service', 'test');
      return payload;
    },
    compress: compressJson,
    onUnknownPath: () => undefined,
    ...options,
  });
}

function addRoutes(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body: string, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body))),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.get('/api/things/:id', (request) => ({
    id: paramsOf(request)['id'],
    list: [{ n: 1 }, { n: 2 }],
    filling: FILLING,
  }));
  app.post('/api/things', ({ body }) => ({ body }));
  app.get('/api/seed-only', (request, reply) =>
    callOf(request).era === 'seed' ? { era: 'seed' } : reply.callNotFound(),
  );
}
