import type { MintCredential } from '../runtime/credentials/credential-headers.js';
import type { Phase } from '../runtime/process/lifecycle.js';
import type { WatchCaches } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { createIdentity, type Identity, type IdentitySettings } from './auth/index.js';
import { createGraphqlEndpoint } from './endpoint/graphql-endpoint.js';
import { serveHealth } from './endpoint/health.js';
import { createHttpServer, listen, serveGraphql } from './endpoint/listener.js';
import { servePages } from './endpoint/pages.js';
import type { RequestMetrics } from './endpoint/request-report.js';
import { trackRequests } from './endpoint/requests-in-flight.js';
import { createPrivateNames } from './execution/aliases/private-names.js';
import {
  createDirectExecutor,
  type DirectExecutor,
  type DirectExecutorOptions,
} from './execution/direct/direct-executor.js';
import { createGraphqlServer } from './execution/graphql-server.js';
import { createSupergraph, type SupergraphFile } from './execution/supergraph.js';
import { mapSupergraph, type SupergraphMap } from './graph/supergraph-map.js';
import { type CrossOrigin, createCrossOrigin } from './http/cross-origin.js';
import type { SafelistPolicy } from './limits/safelist.js';
import type { TracePolicy } from './request/trace.js';
import {
  connectForeignSubgraphs,
  connectSubgraphs,
  type SubgraphConnections,
  type Subgraphs,
} from './subgraphs/connect-subgraphs.js';
import { createPool } from './subgraphs/http-pool.js';

/** What a gateway is made from. */
export interface GatewayOptions {
  /** `readSupergraph(path)`. Only the subgraphs of our own file get credentials. */
  readonly supergraph: SupergraphFile;
  /** Where each of our subgraphs runs; ignored with a foreign supergraph, which names its own URLs. */
  readonly subgraphs: SubgraphConnections;
  readonly mintCredential: MintCredential;
  /** Settings for logging in; without them, callers bring their own tokens. Ignored with a foreign supergraph. */
  readonly identity?: IdentitySettings;
  /** Milliseconds that one request may take. */
  readonly requestDeadlineMs: number;
  /** Largest response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  /** Origins, exactly as browsers send them, whose pages may call. */
  readonly corsOrigins: readonly string[];
  /** Whether `/graphiql` is served. */
  readonly graphiql: boolean;
  readonly introspection: boolean;
  readonly trace: TracePolicy;
  /** The only operations that clients may send; null for all. */
  readonly safelist: SafelistPolicy | null;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  readonly watchCaches: WatchCaches;
  /** The phase of the process, for `/readyz`. */
  phase(): Phase;
}

/** One GraphQL endpoint over the subgraphs. */
export interface Gateway {
  /** Opens the port (0: any free one); returns the URL under which this machine reaches it. */
  listen(host: string, port: number): Promise<{ readonly url: string; readonly port: number }>;
  /** Waits for the requests in flight, then closes the port. The subgraphs are not closed. */
  close(): Promise<void>;
}

/** Creates a gateway. Rejects if the supergraph cannot be loaded. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { supergraph: file, maxResponseBytes, watchCaches, log } = options;
  const watchCache = watchCaches('gateway');
  const map = mapSupergraph(file.sdl);
  const names = createPrivateNames(map);
  const pool = createPool(maxResponseBytes);
  const context = { dispatcher: pool, map, watchCaches, log };
  const subgraphs = file.ours ? connectSubgraphs(options.subgraphs, context) : connectForeignSubgraphs(context);
  const supergraph = createSupergraph({ file, map, names, log, watchCache, sourceFor: subgraphs.sourceFor });
  const graphql = await createGraphqlServer({
    supergraph,
    introspection: options.introspection,
    maxResponseBytes,
    log,
    watchCache,
  });

  const crossOrigin = createCrossOrigin(options.corsOrigins, options.identity?.publicUrl ?? null);
  const identity = file.ours ? openIdentity(options, subgraphs, crossOrigin) : null;
  const endpoint = createGraphqlEndpoint({
    server: graphql,
    direct: openDirect(subgraphs, { map, schema: graphql.schema(), maxResponseBytes, watchCache }),
    subgraphs,
    identity,
    crossOrigin,
    mintCredential: options.mintCredential,
    deadlineMs: options.requestDeadlineMs,
    trace: options.trace,
    safelist: options.safelist,
    watchCache,
    log,
    metrics: options.metrics,
    restoreText: names.restoreText,
  });
  const server = createHttpServer({ ...options, door: endpoint.door });
  const drained = trackRequests(server);
  serveGraphql(server, endpoint, crossOrigin, log);
  identity?.serve(server);
  serveHealth(server, { subgraphs, phase: options.phase });
  if (options.graphiql) await servePages(server);
  return {
    async listen(host, port) {
      // Subgraphs in other processes report here whether they call the sandbox or real services.
      await subgraphs.fetchReports();
      const address = await listen(server, host, port);
      identity?.listensAt(address.url);
      return address;
    },
    async close() {
      // The port stays open while draining, so that `/readyz` can answer 503 to a load balancer.
      await drained();
      await server.close();
      await graphql.close();
      await pool.close();
    },
  };
}

/** Answers from what the subgraphs of this process keep; null where there are none. */
function openDirect(
  subgraphs: Subgraphs,
  { map, ...options }: { map: SupergraphMap } & Omit<DirectExecutorOptions, 'graph'>,
): DirectExecutor | null {
  const inProcess = subgraphs.inProcess();
  return inProcess.size === 0 ? null : createDirectExecutor({ graph: { map, subgraphs: inProcess }, ...options });
}

/** Logging in by way of the waste-identity subgraph, wherever it runs; null if it is not configured. */
function openIdentity(options: GatewayOptions, subgraphs: Subgraphs, crossOrigin: CrossOrigin): Identity | null {
  const { identity, corsOrigins, mintCredential, requestDeadlineMs: deadlineMs, log } = options;
  if (identity === undefined) return null;
  const source = subgraphs.sourceFor('waste-identity', '');
  return createIdentity({ ...identity, source, crossOrigin, corsOrigins, mintCredential, deadlineMs, log });
}
