import type { FastifyInstance } from 'fastify';
import { keyedRoute } from '../http/route.js';
import { createQueryReader } from '../values/query.js';

/** Health, the interface description and the experimental routes (work-study 2, 7.17, 7.18). */
export function systemRoutes(app: FastifyInstance, paths: Paths): void {
  app.get('/api/healthcheck', () => ({ name: 'Passerelle sandbox: work-study', version: '1.49.2', env: 'test' }));
  app.get('/api/swagger.json', () => ({
    openapi: '3.1.0',
    info: { title: 'Passerelle sandbox: work-study', version: '1.49.2' },
    servers: [{ url: '/api' }],
    components: { securitySchemes: { 'api-key': { type: 'http', scheme: 'bearer' } } },
    paths,
  }));
  for (const part of ['', '/zone', '/specialite', '/mere', '/fille']) experimentalRoute(app, part);
}

/** An empty list, as if the register had never been imported (work-study 7.18). */
function experimentalRoute(app: FastifyInstance, part: string): void {
  keyedRoute(app, {
    method: 'GET',
    path: `/experimental/source/acce${part}`,
    read({ query }) {
      const reader = createQueryReader(query);
      for (const name of ['limit', 'skip']) reader.number(name, { min: Number.NEGATIVE_INFINITY });
      return reader.issues.length > 0 ? { issues: reader.issues } : { value: undefined };
    },
    handle: () => [],
  });
}

/** Paths of the interface description. */
type Paths = Record<string, Record<string, unknown>>;

/** The paths of the routes that are added from now on. */
export function describePaths(app: FastifyInstance): Paths {
  const paths: Paths = {};
  app.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith('/api/') || url.includes('/experimental/')) return;
    const template = url.slice('/api'.length).replace(/:(\w+)/g, '{$1}');
    paths[template] = {
      ...paths[template],
      [String([method].flat()[0]).toLowerCase()]: { responses: { 200: { description: 'Success' } } },
    };
  });
  return paths;
}
