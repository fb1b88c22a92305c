import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bench/servers/hive-gateway.ts', import.meta.url));
const SUPERGRAPH = fileURLToPath(new URL('../../schema/supergraph.graphql', import.meta.url));

export interface Engine {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Hive Gateway from the folder of peers in its own process, over subgraphs whose addresses are in `env`. */
export async function startHiveGateway(peers: string, env: Readonly<Record<string, string>>): Promise<Engine> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PEERS: peers, SUPERGRAPH, ...env },
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
