import type { WatchCaches } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { createPrivateNames, type PrivateNames } from './execution/aliases/private-names.js';
import { createMemory, type Memory } from './execution/direct/direct-executor.js';
import { createStoredResponses } from './execution/direct/stored-responses.js';
import { createFindEarlyObjects } from './execution/early-objects.js';
import { createGraphqlServer, type GraphqlServer } from './execution/graphql-server.js';
import { createSupergraph } from './execution/supergraph.js';
import type { SupergraphFile } from './execution/supergraph-file.js';
import { mapSupergraph } from '../schema/supergraph-map.js';
import { createLargeOperations } from './limits/large-operations.js';
import {
  connectForeignSubgraphs,
  connectSubgraphs,
  type SubgraphConnections,
  type Subgraphs,
} from './subgraphs/connect-subgraphs.js';
import { createPool, type Pool } from './subgraphs/http-pool.js';

/** Settings that apply to every graph. */
export interface GraphSettings {
  readonly introspection: boolean;
  /** Largest response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

/** What a graph is loaded with. */
export interface LoadedGraphOptions extends GraphSettings {
  /** Where each of our subgraphs runs; ignored with a foreign supergraph, which names its own URLs. */
  readonly subgraphs: SubgraphConnections;
}

/** One supergraph, ready to answer. */
export interface LoadedGraph {
  readonly subgraphs: Subgraphs;
  readonly server: GraphqlServer;
  /** Null for a foreign supergraph. */
  readonly direct: Memory | null;
  readonly names: PrivateNames;
  close(): Promise<void>;
}

/** Loads a supergraph; the pool connects to its subgraphs over HTTP. Rejects if it cannot be used. */
export async function loadGraph(
  file: SupergraphFile,
  dispatcher: Pool,
  options: LoadedGraphOptions,
): Promise<LoadedGraph> {
  const { introspection, maxResponseBytes, watchCaches, log } = options;
  const watchCache = watchCaches('gateway');
  const map = mapSupergraph(file.sdl);
  const names = createPrivateNames(map);
  const context = { dispatcher, map, watchCaches, log };
  const subgraphs = file.ours ? connectSubgraphs(options.subgraphs, context) : connectForeignSubgraphs(context);
  const inProcess = subgraphs.inProcess();
  const { sourceFor } = subgraphs;
  const findEarlyObjects = createFindEarlyObjects(inProcess);
  const supergraph = createSupergraph({
    file,
    map,
    names,
    introspection,
    maxResponseBytes,
    log,
    watchCache,
    sourceFor,
    findEarlyObjects,
  });
  const large = createLargeOperations(maxResponseBytes);
  const server = await createGraphqlServer({ supergraph, introspection, maxResponseBytes, large, log, watchCache });
  const openDirect = () =>
    inProcess.size === 0
      ? createStoredResponses(watchCache)
      : createMemory({
          ...{ graph: { map, subgraphs: inProcess }, schema: server.schema() },
          ...{ maxResponseBytes, large, watchCache },
        });
  return {
    subgraphs,
    server,
    direct: file.ours ? openDirect() : null,
    names,
    close: () => server.close(),
  };
}

/** Rejects if a foreign supergraph cannot be used. Its subgraphs are not called. */
export async function checkForeignSupergraph(sdl: string, settings: GraphSettings): Promise<void> {
  const pool = createPool(settings.maxResponseBytes);
  const nowhere = { kind: 'http', url: '', token: null } as const;
  const subgraphs = { 'work-study': nowhere, volunteering: nowhere, 'waste-identity': nowhere };
  const graph = await loadGraph({ sdl, ours: false }, pool, { ...settings, subgraphs });
  await graph.close();
  await pool.close();
}
