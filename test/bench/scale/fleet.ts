import { rmSync } from 'node:fs';
import { SERVICES } from '../../../kernel/services.js';
import { startRedis } from '../../auth/support/redis.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { type Load, type Server, startLoad, startServer, type Upstreams } from '../processes.js';
import { untilComplete } from '../sending.js';
import { environmentOf, productCommand, urlVariable, type Variant } from '../variants.js';

/** Numbers of processes. */
export interface Size {
  readonly gateways: number;
  /** Replicas of each subgraph; each gateway uses one of them. */
  readonly replicas: number;
}

/** Gateways over separate subgraphs, which share one Redis and the downloaded export. */
export interface Fleet {
  readonly gateways: readonly Variant[];
  readonly subgraphs: readonly Server[];
  /** One per gateway. */
  readonly loads: readonly Load[];
  close(): Promise<void>;
}

/**
 * Starts a fleet of the build in `root`, not yet queried except to see that it is ready. Throws on a
 * machine without `redis-server`.
 */
export async function startFleet(upstreams: Upstreams, { gateways, replicas }: Size, root: string): Promise<Fleet> {
  const redis = await startRedis();
  if (redis === null) throw new Error('The bench needs redis-server.');
  const folder = temporaryFolder();
  const cleanUp = () => {
    void redis.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  const env = { ...environmentOf(upstreams), CACHE_URL: redis.url, CACHE_DIR: folder };
  const open = async (command: readonly string[], more: Record<string, string> = {}) => {
    await upstreams.openWindows();
    return startServer({ command, env: { ...env, ...more } });
  };
  // One after another, so that only the first replica downloads the export.
  const sets: Server[][] = [];
  for (let replica = 0; replica < replicas; replica += 1) {
    sets.push(await Promise.all(SERVICES.map((service) => open([...productCommand('start:subgraph', root), service]))));
  }
  const variants: Variant[] = [];
  for (let place = 0; place < gateways; place += 1) {
    const set = sets[place % replicas] ?? [];
    const urls = SERVICES.map((service, at) => [urlVariable(service), `${set[at]?.url}/graphql`]);
    const gateway = await open(productCommand('start:gateway', root), Object.fromEntries(urls));
    variants.push({ name: `gateway ${place + 1}`, speaks: 'GraphQL', servers: [gateway] });
    await untilComplete({ name: `gateway ${place + 1}`, speaks: 'GraphQL', servers: [gateway] });
  }
  const loads = variants.map(() => startLoad());
  const processes = [...sets.flat(), ...variants.map(({ servers: [gateway] }) => gateway), ...loads];
  return {
    gateways: variants,
    subgraphs: sets.flat(),
    loads,
    async close() {
      await Promise.all(processes.map((process) => process.close()));
      process.off('exit', cleanUp);
      await redis.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
