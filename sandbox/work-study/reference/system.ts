import { jsonReply } from '../../server/reply.js';
import type { Route } from '../../server/routes.js';
import { keyedRoute } from '../http/route.js';
import { createQueryReader } from '../values/query.js';

/** Health, the interface description and the experimental routes (work-study 2, 7.17, 7.18). */
export function systemRoutes(paths: () => readonly Route[]): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/healthcheck',
      handle: () => jsonReply(200, { name: 'Passerelle sandbox: work-study', version: '1.49.2', env: 'test' }),
    },
    { method: 'GET', path: '/api/swagger.json', handle: () => jsonReply(200, describe(paths())) },
    ...['', '/zone', '/specialite', '/mere', '/fille'].map(experimentalRoute),
  ];
}

/** An empty list, as if the register had never been imported (work-study 7.18). */
function experimentalRoute(part: string): Route {
  return keyedRoute({
    method: 'GET',
    path: `/experimental/source/acce${part}`,
    read({ query }) {
      const reader = createQueryReader(query);
      for (const name of ['limit', 'skip']) reader.number(name, { min: Number.NEGATIVE_INFINITY });
      return reader.issues.length > 0 ? { issues: reader.issues } : { value: undefined };
    },
    handle: () => jsonReply(200, []),
  });
}

function describe(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path } of routes) {
    if (!path.startsWith('/api/') || path.includes('/experimental/')) continue;
    const template = path.slice('/api'.length).replace(/:(\w+)/g, '{$1}');
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: { responses: { 200: { description: 'Success' } } },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Passerelle sandbox: work-study', version: '1.49.2' },
    servers: [{ url: '/api' }],
    components: { securitySchemes: { 'api-key': { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}
