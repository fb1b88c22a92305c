import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '../kernel/services.js';
import type { VariantName } from './options.js';
import { compiled, type Server, startServer, type Upstreams } from './processes.js';
import { copyWithoutMemory } from './without-memory.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** One way to answer the queries. */
export interface Variant {
  readonly name: string;
  /** Whether it takes GraphQL, or paths. */
  readonly speaks: 'GraphQL' | 'REST';
  /** All of its processes; the first one receives the queries. */
  readonly servers: readonly [Server, ...Server[]];
}

/** Starts the processes of the variants. */
export interface VariantStarter {
  start(name: Exclude<VariantName, 'bytes'>): Promise<Variant>;
  /** This product in one process, as built in another folder. */
  startOther(name: string, root: string): Promise<Variant>;
  /** A server that sends the given bytes. */
  startBytes(responses: Readonly<Record<string, string>>): Promise<Variant>;
  close(): Promise<void>;
}

const SECRET = 'a-secret-of-the-bench-and-no-other';

/** Creates a starter of variants over these upstreams; variants that need separate subgraphs share them. */
export function createVariantStarter(upstreams: Upstreams): VariantStarter {
  const opened: Server[] = [];
  let subgraphs: Promise<Server[]> | null = null;

  const open = async (command: readonly string[], more: Record<string, string> = {}) => {
    await upstreams.openWindows();
    const server = await startServer({ command, env: { ...environmentOf(upstreams), ...more } });
    opened.push(server);
    return server;
  };
  const overSubgraphs = async (command: readonly string[], more: Record<string, string> = {}) => {
    subgraphs ??= Promise.all(SERVICES.map((service) => open([...productCommand('start:subgraph'), service])));
    const servers = await subgraphs;
    const urls = SERVICES.map((service, place) => [urlVariable(service), `${servers[place]?.url}/graphql`]);
    return [await open(command, { ...more, ...Object.fromEntries(urls) }), ...servers] as const;
  };
  const serversOf = {
    ours: async () => [await open(productCommand('start'))] as const,
    'ours-executed': async () => [await open(productCommand('start', copyWithoutMemory()))] as const,
    apart: () => overSubgraphs(productCommand('start:gateway')),
    'apart-executed': () => overSubgraphs(productCommand('start:gateway', copyWithoutMemory())),
    stock: () => overSubgraphs([compiled('stock-gateway')], { SUPERGRAPH: join(ROOT, 'schema/supergraph.graphql') }),
    'by-hand': async () => [await open([compiled('by-hand')])] as const,
  };
  return {
    async start(name) {
      const servers = await serversOf[name]();
      return { name, speaks: name === 'by-hand' ? 'REST' : 'GraphQL', servers: [...servers] };
    },
    async startOther(name, root) {
      return { name, speaks: 'GraphQL', servers: [await open(productCommand('start', root))] };
    },
    async startBytes(responses) {
      const server = await startServer({ command: [compiled('bytes')], env: {}, given: { responses } });
      opened.push(server);
      return { name: 'bytes', speaks: 'REST', servers: [server] };
    },
    async close() {
      await Promise.all(opened.map((server) => server.close()));
    },
  };
}

/** More than the load sends: the limits count, but refuse nobody. */
const MOST_PER_MINUTE = '10000000';

/** As the image and the unit set them; the allocator reads them when a process starts. */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TOP_PAD_: '16384' };

/** As in production: everything is on that a deployment would have on. */
export function environmentOf({ variables }: Upstreams): Record<string, string> {
  return {
    ...variables,
    ...{ PORT: '0', METRICS_PORT: '0', CACHE_DIR: 'off', LOG_LEVEL: 'warn' },
    ...ALLOCATOR,
    ...{ SESSION_SECRET: SECRET, SUBGRAPH_TOKEN: SECRET },
    ...{ CALLER_REQUESTS_PER_MINUTE: MOST_PER_MINUTE, CALLER_CALLS_PER_MINUTE: MOST_PER_MINUTE },
  };
}

/** The command of one of the package's scripts, without the build that precedes it. */
export function productCommand(script: 'start' | 'start:gateway' | 'start:subgraph', root = ROOT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, ...roles] = (scripts[script] ?? '').split(/(?:start\.mjs|main\.js) ?/);
  return [
    join(root, 'dist/main.js'),
    ...roles
      .join('')
      .split(' ')
      .filter((role) => role !== ''),
  ];
}

/** The variable with a subgraph's address for a gateway. */
function urlVariable(service: string): string {
  return `SUBGRAPH_${service.toUpperCase().replaceAll('-', '_')}_URL`;
}
