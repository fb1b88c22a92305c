import { variablesOf } from '../../../sandbox/hints.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.js';
import { type MeteredServer, startMeteredServer } from './metered-server.js';
import { learnAnswer, type SmallQuestion } from './neighbour.js';
import { asked } from './send.js';

/** The sandbox in this process and the built server in front of it in another, metered. */
export interface MeteredStack {
  readonly sandbox: Sandbox;
  readonly server: MeteredServer;
  /** What a usual caller asks: a mission by its id, a few of a list with its join, the départements. */
  readonly smallQuestions: readonly SmallQuestion[];
  close(): Promise<void>;
}

/** Starts both; the small questions have been answered once. */
export async function startMeteredStack(options?: SandboxOptions): Promise<MeteredStack> {
  const sandbox = await startSandbox(options);
  // A log line for each request is part of what a server does.
  const server = await startMeteredServer({ ...variablesOf(sandbox), LOG_LEVEL: 'info' });
  const mission = sandbox.world.missions.find(({ deletedAt, statusCode }) => !deletedAt && statusCode === 'ACCEPTED');
  const bodies = [
    asked('query($id: ID!) { mission(id: $id) { id title } }', { id: mission?.['id'] }),
    asked('{ missions(first: 3) { nodes { title commune { nom } } } }'),
    asked('{ departements { codeInsee nom } }'),
  ];
  const smallQuestions = await Promise.all(bodies.map((body) => learnAnswer(server.url, body)));
  return {
    sandbox,
    server,
    smallQuestions,
    async close() {
      await server.close();
      await sandbox.close();
    },
  };
}
