import { jsonReply } from '../../../sandbox/server/reply.js';
import { type ServiceOptions, startService } from '../../../sandbox/server/service.js';
import type { SandboxService } from '../../../sandbox/server/types.js';

/** Makes the JSON of `/api/things/:id` longer than 600 bytes, enough to be compressed and cut. */
const FILLING = 'été '.repeat(120);

/** A service with one route for reading and one for writing, whose responses are easy to tell from a proxy's. */
export function startTestService(options: Partial<ServiceOptions> = {}): Promise<SandboxService> {
  return startService({
    name: 'test',
    basePath: '/api',
    routes: [
      {
        method: 'GET',
        path: '/api/things/:id',
        handle: ({ params }) => jsonReply(200, { id: params['id'], list: [{ n: 1 }, { n: 2 }], filling: FILLING }),
      },
      {
        method: 'POST',
        path: '/api/things',
        handle: async (request) => jsonReply(200, { bytes: (await request.readBody()).length }),
      },
      { method: 'GET', path: '/api/seed-only', era: 'seed', handle: () => jsonReply(200, { era: 'seed' }) },
    ],
    keyName: (headers) => headers['x-api-key']?.toString() ?? 'none',
    notFound: () => jsonReply(404, { own: 'not found' }),
    failure: (status) => jsonReply(status, { own: 'failure' }),
    rateLimited: () => jsonReply(429, { own: 'too many' }, { 'retry-after': '60' }),
    decorate: (response) => ({ ...response, headers: { ...response.headers, 'x-service': 'test' } }),
    gzipFrom: 256,
    onUnknownPath: () => undefined,
    ...options,
  });
}
