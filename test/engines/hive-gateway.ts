import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The shape of stacks in which Hive Gateway takes the place of our gateway. */
export const HIVE = 'under Hive Gateway';

/** The folder in which `npm run test:engines` has installed Hive Gateway; null in any other run. */
export const ENGINE_FOLDER = process.env['ENGINE_FOLDER'] ?? null;

const PROGRAM = fileURLToPath(new URL('../../bench/servers/hive-gateway.ts', import.meta.url));
const SUPERGRAPH = fileURLToPath(new URL('../../schema/supergraph.graphql', import.meta.url));

export interface Engine {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Hive Gateway in its own process, over subgraphs whose addresses are in `env`. */
export async function startHiveGateway(env: Readonly<Record<string, string>>): Promise<Engine> {
  if (ENGINE_FOLDER === null) throw new Error('Hive Gateway is started by `npm run test:engines` only.');
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PEERS: ENGINE_FOLDER, SUPERGRAPH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /answers at (http:[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      async close() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }
  throw new Error('Hive Gateway ended before it answered.');
}
