import type { MeteredStack } from './metered-stack.js';
import { learnAnswer, type SmallQuestion } from './neighbour.js';
import { asked } from './send.js';

/** What a usual caller asks, each answered once: a mission by its id, a few of a list with its join, the départements. */
export function learnSmallQuestions({ sandbox, server }: MeteredStack): Promise<readonly SmallQuestion[]> {
  const { missions } = sandbox.world;
  const mission = missions.find(({ deletedAt, statusCode }) => !deletedAt && statusCode === 'ACCEPTED');
  const bodies = [
    asked('query($id: ID!) { mission(id: $id) { id title } }', { id: mission?.['id'] }),
    asked('{ missions(first: 3) { nodes { title commune { nom } } } }'),
    asked('{ departements { codeInsee nom } }'),
  ];
  return Promise.all(bodies.map((body) => learnAnswer(server.url, body)));
}
