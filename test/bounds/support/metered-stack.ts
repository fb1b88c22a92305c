import { variablesOf } from '../../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { type MeteredServer, startMeteredServer } from './metered-server.js';

/** The sandbox in this process, and in front of it the built server, metered, in another. */
export interface MeteredStack {
  readonly sandbox: Sandbox;
  readonly server: MeteredServer;
  /** Starts another server, with other variables, in front of the same sandbox; it is closed with the stack. */
  startServer(env: Readonly<Record<string, string>>): Promise<MeteredServer>;
  close(): Promise<void>;
}

/** Starts both, with further variables and V8 flags for the server. */
export async function startMeteredStack(
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<MeteredStack> {
  const sandbox = await startSandbox();
  // A log line per request is part of a server's work. The price must refuse nothing: the worst has to run here.
  const own = { LOG_LEVEL: 'info', MAX_CALLS_PER_REQUEST: '1000000' };
  const servers: MeteredServer[] = [];
  const startServer = async (more: Readonly<Record<string, string>>) => {
    const server = await startMeteredServer({ ...variablesOf(sandbox), ...own, ...more }, flags);
    servers.push(server);
    return server;
  };
  return {
    sandbox,
    server: await startServer(env),
    startServer,
    async close() {
      for (const server of servers) await server.close();
      await sandbox.close();
    },
  };
}
