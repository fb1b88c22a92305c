import type { WatchCaches } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { SERVICES } from '../schema/services.js';
import { createDirectExecutor, type DirectExecutor } from './execution/direct/direct-executor.js';
import { createStoredResponses } from './execution/direct/stored-responses.js';
import { createFindEarlyObjects } from './execution/early-objects.js';
import { createGraphqlServer, type GraphqlServer } from './execution/graphql-server.js';
import { createSupergraph } from './execution/supergraph.js';
import { mapSupergraph } from './graph/supergraph-map.js';
import { createLargeOperations } from './limits/large-operations.js';
import { MAX_ITEMS } from './limits/operation-cost.js';
import { createPrivateNames, type PrivateNames } from './remote/private-names.js';
import { createRemoteGateway, REMOTE_LIMITS } from './remote/remote-gateway.js';
import { connectSubgraphs, type SubgraphConnections, type Subgraphs } from './subgraphs/connect-subgraphs.js';
import type { Pool } from './subgraphs/http-pool.js';

/** What a graph is loaded with. */
export interface LoadedGraphOptions {
  /** The SDL of the supergraph. */
  readonly supergraph: string;
  /** Where each subgraph runs. */
  readonly subgraphs: SubgraphConnections;
  readonly introspection: boolean;
  /** Largest response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

/** One supergraph, ready to answer. */
export interface LoadedGraph {
  readonly subgraphs: Subgraphs;
  readonly server: GraphqlServer;
  readonly direct: DirectExecutor;
  readonly names: PrivateNames;
  close(): Promise<void>;
}

/** Loads a supergraph; the pool connects to its subgraphs over HTTP. Rejects if it cannot be used. */
export async function loadGraph(dispatcher: Pool, options: LoadedGraphOptions): Promise<LoadedGraph> {
  const { supergraph: sdl, introspection, maxResponseBytes, watchCaches, log } = options;
  const watchCache = watchCaches('gateway');
  const map = mapSupergraph(sdl);
  const names = createPrivateNames(map);
  const context = { dispatcher, map, watchCaches, log };
  const subgraphs = connectSubgraphs(options.subgraphs, context);
  const inProcess = subgraphs.inProcess();
  // One subgraph elsewhere is enough: what joins over HTTP joins those of this process too.
  const isRemote = inProcess.size < SERVICES.length;
  const { sourceFor } = subgraphs;
  const engine = { sdl, map, names, introspection, maxResponseBytes, log, watchCache, sourceFor };
  const gateway = isRemote
    ? createRemoteGateway(engine)
    : createSupergraph({ ...engine, findEarlyObjects: createFindEarlyObjects(inProcess) });
  const large = createLargeOperations(maxResponseBytes);
  const most = isRemote
    ? { items: REMOTE_LIMITS.items, bytes: Math.min(REMOTE_LIMITS.bytes, maxResponseBytes) }
    : { items: MAX_ITEMS, bytes: maxResponseBytes };
  const limits = { maxResponseBytes, most, large };
  const server = await createGraphqlServer({ gateway, introspection, ...limits, log, watchCache });
  const direct = isRemote
    ? createStoredResponses(watchCache)
    : createDirectExecutor({
        ...{ graph: { map, subgraphs: inProcess }, schema: server.schema() },
        ...{ maxResponseBytes, large, watchCache },
      });
  return { subgraphs, server, direct, names, close: () => server.close() };
}
