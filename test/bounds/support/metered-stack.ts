import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { variablesOf } from '../../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { SUBGRAPH_TOKEN } from '../../scenarios/stack.js';
import { type MeteredServer, startMeteredServer } from './metered-server.js';

/**
 * The sandbox in this process, and in front of it the built server, metered, in another; apart, that is the gateway, in
 * front of the subgraphs in processes of their own.
 */
export interface MeteredStack {
  readonly sandbox: Sandbox;
  readonly server: MeteredServer;
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
  const start = async (more: Readonly<Record<string, string>>, role: readonly string[] = []) => {
    const server = await startMeteredServer({ ...variablesOf(sandbox), ...own, ...more }, { flags, role });
    servers.push(server);
    return server;
  };
  const startApart = async () => {
    const common = { ...env, SUBGRAPH_TOKEN };
    const addresses = await Promise.all(
      SERVICES.map(async (name) => {
        const { url } = await start(common, ['subgraph', name]);
        return [SERVICE_ENTRIES[name].addressVariable, `${url}/graphql`];
      }),
    );
    return start({ ...common, ...Object.fromEntries(addresses) }, ['gateway']);
  };
  return {
    sandbox,
    server: await (isApart ? startApart() : start(env)),
    async close() {
      for (const server of servers.reverse()) await server.close();
      await sandbox.close();
    },
  };
}
