import type { GraphQLSchema } from 'graphql';
import type { Redis } from 'ioredis';
import type { WatchCaches } from '../kernel/caches.js';
import { SERVICES } from '../kernel/services.js';
import { mapSupergraph } from '../kernel/supergraph.js';
import { type CrossOrigin, createCrossOrigin } from '../runtime/http/cross-origin.js';
import { oneHeader, type RequestHeaders } from '../runtime/http/request-headers.js';
import type { Phase } from '../runtime/process/lifecycle.js';
import { createIdentity, type Identity, type IdentitySettings } from './auth/index.js';
import { type CallerLimits, createCallerLimits, readProxies } from './callers/caller-limits.js';
import { createKnownHosts, createServerGuard } from './callers/connection-guard.js';
import type { Endpoint } from './endpoint/endpoint.js';
import { createFastPath } from './endpoint/fast-path.js';
import {
  createHttpServer,
  listen,
  requestsEnded,
  serveGraphql,
  serveHealth,
  serveSchemaFile,
} from './endpoint/listener.js';
import { createRefusalReport } from './endpoint/report.js';
import { responseHeaders } from './endpoint/send-response.js';
import { makeExecutable } from './graph/executable-schema.js';
import { buildApi, type GraphFiles } from './graph/graph-files.js';
import { createGraphqlServer } from './graph/graphql-server.js';
import { createMemory } from './memory/memory.js';
import { servePages } from './pages/pages.js';
import { createPriceList } from './price/field-prices.js';
import type { Pricing } from './price/price.js';
import { createRemoteGateway } from './remote/remote-gateway.js';
import { connectSubgraphs, type SubgraphConnections, type Subgraphs } from './remote/subgraphs.js';
import { mayTrace } from './request/request.js';

/** What requests are answered with as it is set. */
type RequestSettings = Pick<
  Endpoint,
  'mintCredential' | 'trace' | 'safelist' | 'requestDeadlineMs' | 'maxCallsPerRequest' | 'log' | 'metrics' | 'tracing'
>;

/** What a gateway is created from. */
export interface GatewayOptions extends RequestSettings {
  readonly graph: GraphFiles;
  /** Where each subgraph runs. */
  readonly subgraphs: SubgraphConnections;
  /** Schemas of the subgraphs by name, wherever they run, including what their fields declare about themselves. */
  readonly subgraphSchemas: ReadonlyMap<string, () => GraphQLSchema>;
  /** Settings for logging in; without them, callers bring their own tokens. */
  readonly identity?: IdentitySettings;
  /** Requests and upstream calls of one caller in a minute; 0 means no limit. */
  readonly callerRequestsPerMinute: number;
  readonly callerCallsPerMinute: number;
  /** Milliseconds for which an idle connection stays open. */
  readonly keepAliveMs?: number;
  /** Proxies whose forwarded addresses are trusted. */
  readonly trustedProxies: readonly string[];
  /** Where replicas count callers together; null if this process counts alone. */
  readonly limitStore: Redis | null;
  /** Largest response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  /** Origins whose pages may call, exactly as browsers send them or with `*.` for one label. */
  readonly corsOrigins: readonly string[];
  /** Whether `/graphiql` is served. */
  readonly graphiql: boolean;
  /** Whether the schema may be read: by introspection, and at `/schema.graphql`. */
  readonly introspection: boolean;
  /** Whether strangers learn from `/readyz` no more than balancers need. */
  readonly production: boolean;
  readonly watchCaches: WatchCaches;
  /** The phase of the process, for `/readyz`. */
  phase(): Phase;
}

/** One GraphQL endpoint over the subgraphs, and what is known of their sources. */
export interface Gateway extends Pick<Subgraphs, 'lastKnown' | 'fetchReports'> {
  /** Opens the port (0: any free one); returns the URL at which this machine reaches it. */
  listen(host: string, port: number): Promise<{ readonly url: string; readonly port: number }>;
  /** Waits for the requests in flight, then closes the port. The subgraphs are not closed. */
  close(): Promise<void>;
}

/** Creates a gateway. Rejects if the supergraph cannot be loaded. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const publicUrl = options.identity?.publicUrl ?? null;
  const crossOrigin = createCrossOrigin(options.corsOrigins, publicUrl, options);
  const graph = await loadGraph(options);
  const proxies = readProxies(options.trustedProxies);
  const { callerRequestsPerMinute: requestsPerMinute, callerCallsPerMinute: callsPerMinute } = options;
  const hashOf = (text: string) => options.mintCredential(text).fingerprint;
  const bounds = { requestsPerMinute, callsPerMinute, store: options.limitStore, hashOf };
  const callerLimits = createCallerLimits({ proxies, ...bounds });
  const identity = openIdentity(options, graph.subgraphs, { crossOrigin, callerLimits });
  const reportRefusal = createRefusalReport(options);
  const endpoint: Endpoint = { ...options, ...graph, crossOrigin, identity, callerLimits, reportRefusal };
  const fastPath = createFastPath(endpoint, options.watchCaches('gateway'));
  const hosts = createKnownHosts(publicUrl, proxies !== null, options.log);
  const mayReadFigures = (headers: RequestHeaders) =>
    !options.production || mayTrace(options.trace, oneHeader(headers, 'x-passerelle-trace'));
  const guard = createServerGuard(callerLimits, proxies, {
    ...endpoint,
    hosts,
    headersOf: (request) => responseHeaders(endpoint, request),
    report: reportRefusal,
  });
  const server = createHttpServer({ ...options, fastPath, guard });
  serveGraphql(server, endpoint, fastPath);
  serveHealth(server, graph.subgraphs, options.phase, mayReadFigures);
  identity?.serve(server);
  if (options.introspection) serveSchemaFile(server, options.graph.api);
  if (options.graphiql) await servePages(server, publicUrl);
  return {
    async listen(host, port) {
      // Subgraphs in other processes report here whether they call the sandbox or real services.
      await graph.subgraphs.fetchReports();
      hosts.listensOn(host);
      const address = await listen(server, host, port);
      identity?.listensAt(address.url);
      return address;
    },
    lastKnown: graph.subgraphs.lastKnown,
    fetchReports: graph.subgraphs.fetchReports,
    async close() {
      // The port stays open while draining, so that `/readyz` can answer 503 to a load balancer.
      await requestsEnded(server);
      await server.close();
      await graph.close();
      await graph.subgraphs.close();
    },
  };
}

/** A graph that is ready to answer. */
interface LoadedGraph extends Pricing, Pick<Endpoint, 'subgraphs' | 'memory' | 'way'> {
  close(): Promise<void>;
}

/**
 * Loads the graph: one executable schema if all subgraphs run in this process, @apollo/gateway as soon as one of them
 * runs elsewhere. Rejects if the graph cannot be used.
 */
async function loadGraph(options: GatewayOptions): Promise<LoadedGraph> {
  const { graph, subgraphSchemas, introspection, maxResponseBytes, watchCaches, log } = options;
  const watchCache = watchCaches('gateway');
  const map = mapSupergraph(graph.supergraph);
  const subgraphs = connectSubgraphs(options.subgraphs, options);
  const memory = createMemory((service, credentials) => subgraphs.versionOf(service, credentials[service]), watchCache);
  const own = { subgraphs, memory, prices: createPriceList(subgraphSchemas) };
  const local = subgraphs.inProcess;
  const schema = buildApi(graph.api);
  const common = { schema, introspection, maxResponseBytes, log };
  if (local.size === SERVICES.length) {
    makeExecutable(schema, { map, subgraphs: local });
    const server = await createGraphqlServer({ ...common, fetch: null });
    return { ...own, server, way: 'schema', close: () => server.close() };
  }
  const { fetcherFor } = subgraphs;
  const engine = { sdl: graph.supergraph, map, schema, maxResponseBytes, log, watchCache, fetcherFor };
  const { fetch, close } = await createRemoteGateway(engine);
  const server = await createGraphqlServer({ ...common, fetch });
  return { ...own, server, way: 'remote', close: () => server.close().then(close) };
}

/** Login through the waste-identity subgraph, wherever it runs; null if not configured. */
function openIdentity(
  options: GatewayOptions,
  subgraphs: Subgraphs,
  shared: { readonly crossOrigin: CrossOrigin; readonly callerLimits: CallerLimits },
): Identity | null {
  const { identity, mintCredential, requestDeadlineMs: deadlineMs, log } = options;
  if (identity === undefined) return null;
  const fetcher = subgraphs.fetcherFor('waste-identity');
  return createIdentity({ ...identity, ...shared, fetcher, mintCredential, deadlineMs, log });
}
