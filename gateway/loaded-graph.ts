import type { WatchCaches } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { createPrivateNames, type PrivateNames } from './execution/aliases/private-names.js';
import { createDirectExecutor, type DirectExecutor } from './execution/direct/direct-executor.js';
import { createStoredResponses } from './execution/direct/stored-responses.js';
import { createFindEarlyObjects } from './execution/early-objects.js';
import { createGraphqlServer, type GraphqlServer } from './execution/graphql-server.js';
import { createSupergraph } from './execution/supergraph.js';
import { mapSupergraph } from './graph/supergraph-map.js';
import { createLargeOperations } from './limits/large-operations.js';
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
  const { sourceFor } = subgraphs;
  const findEarlyObjects = createFindEarlyObjects(inProcess);
  const supergraph = createSupergraph({
    sdl,
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
  const direct =
    inProcess.size === 0
      ? createStoredResponses(watchCache)
      : createDirectExecutor({
          ...{ graph: { map, subgraphs: inProcess }, schema: server.schema() },
          ...{ maxResponseBytes, large, watchCache },
        });
  return { subgraphs, server, direct, names, close: () => server.close() };
}
