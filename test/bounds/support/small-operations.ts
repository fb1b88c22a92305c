import type { MeteredStack } from './metered-stack.js';
import { learnResponse, type SmallOperation } from './neighbour.js';
import { queryBody } from './send.js';

/** Queries of a typical caller, each answered once: a mission by id, a short list with its join, the départements. */
export function learnSmallOperations({
  sandbox,
  server,
}: Pick<MeteredStack, 'sandbox' | 'server'>): Promise<readonly SmallOperation[]> {
  const { missions } = sandbox.world;
  const mission = missions.find(({ deletedAt, statusCode }) => !deletedAt && statusCode === 'ACCEPTED');
  const bodies = [
    queryBody('query($id: ID!) { mission(id: $id) { id title } }', { id: mission?.['id'] }),
    queryBody('{ missions(first: 3) { nodes { title commune { nom } } } }'),
    queryBody('{ departements { codeInsee nom } }'),
  ];
  return Promise.all(bodies.map((body) => learnResponse(server.url, body)));
}
