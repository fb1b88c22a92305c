import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '../../schema/services.js';
import type { VariantName } from './options.js';
import { compiled, type Server, startServer, type Upstreams } from './processes.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** One way to answer the questions. */
export interface Variant {
  readonly name: string;
  /** Whether it is asked GraphQL, or paths. */
  readonly speaks: 'GraphQL' | 'REST';
  readonly url: string;
  /** All processes that work for it. */
  readonly servers: readonly Server[];
}

/** The processes of a variant, and of which it consists. */
export interface VariantStarter {
  start(name: Exclude<VariantName, 'bytes'>): Promise<Variant>;
  close(): Promise<void>;
}

const SECRET = 'a-secret-of-the-bench-and-no-other';

/** As in production: everything is on that a deployment has on. */
function environmentOf(upstreams: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...upstreams,
    ...{ PORT: '0', METRICS_PORT: '0', CACHE_DIR: 'off', LOG_LEVEL: 'warn' },
    ...{ SESSION_SECRET: SECRET, SUBGRAPH_TOKEN: SECRET, SUPERGRAPH: join(ROOT, 'schema/supergraph.graphql') },
  };
}

/** Starts variants over these upstreams; the ones that need subgraphs apart share them. */
export function createVariantStarter(upstreams: Upstreams): VariantStarter {
  const env = environmentOf(upstreams.variables);
  const opened: Server[] = [];
  let subgraphs: Promise<Server[]> | null = null;

  const open = async (command: readonly string[], more: Record<string, string> = {}) => {
    await upstreams.openWindows();
    const server = await startServer({ command, env: { ...env, ...more } });
    opened.push(server);
    return server;
  };
  const openOverSubgraphs = async (command: readonly string[]) => {
    subgraphs ??= Promise.all(SERVICES.map((service) => open([...productCommand('start:subgraph'), service])));
    const servers = await subgraphs;
    const urls = SERVICES.map((service, place) => [urlVariable(service), `${servers[place]?.url}/graphql`]);
    return [await open(command, Object.fromEntries(urls)), ...servers];
  };
  const serversOf = {
    ours: async () => [await open(productCommand('start'))],
    apart: () => openOverSubgraphs(productCommand('start:gateway')),
    stock: () => openOverSubgraphs([compiled('stock-gateway')]),
    'by-hand': async () => [await open([compiled('by-hand')])],
  };
  return {
    async start(name) {
      const servers = await serversOf[name]();
      return { name, speaks: name === 'by-hand' ? 'REST' : 'GraphQL', url: servers[0]?.url ?? '', servers };
    },
    close: async () => void (await Promise.all(opened.map((server) => server.close()))),
  };
}

/** The command of one of the package's scripts, without the build before it. */
function productCommand(script: 'start' | 'start:gateway' | 'start:subgraph', root = ROOT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, command = ''] = (scripts[script] ?? '').split('&& node ');
  return command.split(' ').map((word) => (word === 'dist/main.js' ? join(root, word) : word));
}

function urlVariable(service: string): string {
  return `SUBGRAPH_${service.toUpperCase().replaceAll('-', '_')}_URL`;
}
