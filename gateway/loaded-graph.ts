import { buildSchema } from 'graphql';
import type { WatchCaches } from '../kernel/caches.js';
import type { Log } from '../kernel/log.js';
import { SERVICES } from '../kernel/services.js';
import { mapSupergraph } from '../kernel/supergraph.js';
import type { ExecutedWay } from './endpoint/report.js';
import { makeExecutable } from './graph/executable-schema.js';
import type { GraphFiles } from './graph/graph-files.js';
import { createGraphqlServer, type GraphqlServer } from './graph/graphql-server.js';
import { createLocalGateway } from './graph/local-gateway.js';
import { createLargeOperations } from './limits/caller-queue.js';
import { MAX_ITEMS } from './limits/operation-cost.js';
import { createMemory, type Memory } from './memory/memory.js';
import { createRemoteResponses } from './memory/remote-responses.js';
import { createRemoteGateway, REMOTE_LIMITS } from './remote/remote-gateway.js';
import type { Pool } from './remote/subgraph-state.js';
import { connectSubgraphs, type SubgraphConnections, type Subgraphs } from './remote/subgraphs.js';

/** What a graph is loaded with. */
export interface LoadedGraphOptions {
  readonly graph: GraphFiles;
  /** Where each subgraph runs. */
  readonly subgraphs: SubgraphConnections;
  readonly introspection: boolean;
  /** Largest response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

/** A graph that is ready to answer. */
export interface LoadedGraph {
  readonly subgraphs: Subgraphs;
  readonly server: GraphqlServer;
  readonly memory: Memory;
  /** How operations are executed. */
  readonly way: ExecutedWay;
  /** Replaces private names in a text with the client's. */
  restoreText(text: string): string;
  close(): Promise<void>;
}

/**
 * Loads the graph: one executable schema if all subgraphs run in this process, @apollo/gateway as soon as one of them
 * runs elsewhere. The pool connects to those over HTTP. Rejects if the graph cannot be used.
 */
export async function loadGraph(dispatcher: Pool, options: LoadedGraphOptions): Promise<LoadedGraph> {
  const { graph, introspection, maxResponseBytes, watchCaches, log } = options;
  const watchCache = watchCaches('gateway');
  const map = mapSupergraph(graph.supergraph);
  const subgraphs = connectSubgraphs(options.subgraphs, { dispatcher, map, watchCaches, log });
  const local = subgraphs.inProcess;
  const schema = buildSchema(graph.api, { noLocation: true });
  const large = createLargeOperations(maxResponseBytes);
  const common = { schema, api: graph.api, introspection, maxResponseBytes, large, log, watchCache };
  if (local.size === SERVICES.length) {
    makeExecutable(schema, { map, subgraphs: local });
    const gateway = createLocalGateway({ schema, maxBytes: maxResponseBytes, log });
    const most = { items: MAX_ITEMS, bytes: maxResponseBytes };
    const server = await createGraphqlServer({ ...common, gateway, most });
    const memory = createMemory({ schema, maxResponseBytes, watchCache });
    return { subgraphs, server, memory, way: 'schema', restoreText: (text) => text, close: () => server.close() };
  }
  const { sourceFor } = subgraphs;
  const engine = { sdl: graph.supergraph, map, maxResponseBytes, log, watchCache, sourceFor };
  const gateway = createRemoteGateway(engine);
  const most = { items: REMOTE_LIMITS.items, bytes: Math.min(REMOTE_LIMITS.bytes, maxResponseBytes) };
  const server = await createGraphqlServer({ ...common, gateway, most });
  const memory = createRemoteResponses(watchCache);
  return { subgraphs, server, memory, way: 'remote', restoreText: gateway.restoreText, close: () => server.close() };
}
