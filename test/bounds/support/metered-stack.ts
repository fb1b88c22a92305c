import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { variablesOf } from '../../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { SUBGRAPH_TOKEN } from '../../scenarios/stack.js';
import { type Launch, type MeteredServer, startMeteredServer } from './metered-server.js';

/**
 * The sandbox in this process, and in front of it the built server, metered, in another; apart, that is the gateway, in
 * front of the subgraphs in processes of their own.
 */
export interface MeteredStack {
  readonly sandbox: Sandbox;
  readonly server: MeteredServer;
  /** Starts another one, with other variables, in front of the same sandbox; it is closed with the stack. */
  startServer(env: Readonly<Record<string, string>>, launch?: Omit<Launch, 'role'>): Promise<MeteredServer>;
  close(): Promise<void>;
}

/** Starts both, with further variables and V8 flags for the server, once the sandbox is prepared. */
export async function startMeteredStack(
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  isApart = false,
  prepare: (sandbox: Sandbox) => unknown = () => {},
): Promise<MeteredStack> {
  const sandbox = await startSandbox();
  prepare(sandbox);
  // What others are answered is compared with what they were answered before.
  sandbox.volunteering.order = 'stable';
  // A log line per request is part of a server's work. The price must refuse nothing: the worst has to run here.
  const own = { LOG_LEVEL: 'info', MAX_CALLS_PER_REQUEST: '1000000' };
  const servers: MeteredServer[] = [];
  const start = async (more: Readonly<Record<string, string>>, launch: Launch) => {
    const server = await startMeteredServer({ ...variablesOf(sandbox), ...own, ...more }, { flags, ...launch });
    servers.push(server);
    return server;
  };
  const startServer = async (more: Readonly<Record<string, string>>, how: Omit<Launch, 'role'> = {}) => {
    if (!isApart) return start(more, how);
    const common = { ...more, SUBGRAPH_TOKEN };
    const addresses = await Promise.all(
      SERVICES.map(async (name) => {
        const { url } = await start(common, { ...how, role: ['subgraph', name] });
        return [SERVICE_ENTRIES[name].addressVariable, `${url}/graphql`];
      }),
    );
    return start({ ...common, ...Object.fromEntries(addresses) }, { ...how, role: ['gateway'] });
  };
  return {
    sandbox,
    server: await startServer(env),
    startServer,
    async close() {
      for (const server of servers.reverse()) await server.close();
      await sandbox.close();
    },
  };
}
