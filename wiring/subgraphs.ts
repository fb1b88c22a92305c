import type { SubgraphConnection, SubgraphConnections } from '../gateway/remote/subgraphs.js';
import { unwatched } from '../kernel/caches.js';
import type { Log, Tracing } from '../kernel/log.js';
import type { Subgraph } from '../kernel/operation.js';
import { fromEachService, SERVICE_ENTRIES, SERVICES, type ServiceName } from '../kernel/services.js';
import { type Configuration, type ServiceSettings, settingsIn } from '../runtime/configuration/configuration.js';
import { createCredentialMinter, createRootKeys, operatorAccountOf } from '../runtime/credentials/credentials.js';
import { claimsOf, endInWords } from '../runtime/credentials/key-end.js';
import { Metrics } from '../runtime/process/metrics.js';
import { createUpstreamObserver } from '../runtime/process/upstream-observer.js';
import { openStores } from '../runtime/stores/text-store.js';
import { sandboxVariables } from '../sandbox/hints.js';
import type { Sandbox } from '../sandbox/index.js';
import { type OpenedSubgraph, SUBGRAPHS } from '../subgraphs/registry.js';
import { createSystemPorts } from '../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../subgraphs/rest/stages/create-upstream.js';

/** What the subgraphs of one process share. */
export type SharedParts = ReturnType<typeof openSharedParts>;

/** Opens what the subgraphs of one process share; the caller closes `stores`. Without `tracing`, nothing is traced. */
export function openSharedParts(
  configuration: Configuration,
  sandbox: Sandbox | null,
  log: Log,
  tracing: Tracing | null = null,
) {
  const metrics = configuration.metricsPort === null ? null : new Metrics(configuration.role);
  const rootKeys = createRootKeys(configuration.sessionSecrets);
  const stores = openStores({ ...configuration, markKeys: rootKeys.derive('cache-entries'), log });
  const { redis } = stores;
  if (redis !== null) metrics?.watchStore(() => redis.status === 'ready');
  /** To be started once the process is ready. */
  const warmUps: (() => Promise<void>)[] = [];
  const watchCaches = metrics?.watchCaches ?? (() => unwatched);
  const mintCredential = createCredentialMinter(rootKeys);
  return { configuration, sandbox, stores, metrics, watchCaches, log, tracing, rootKeys, warmUps, mintCredential };
}

/** The schemas of all subgraphs; a gateway needs them even when the subgraphs run in other processes. */
export const SUBGRAPH_SCHEMAS = new Map(SERVICES.map((name) => [name, SUBGRAPHS[name].schema]));

/** How the gateway reaches each subgraph: in this process, or over HTTP where the configuration names its URL. */
export function connectAll(configuration: Configuration, parts: SharedParts): SubgraphConnections {
  return fromEachService((service): SubgraphConnection => {
    const url = configuration.subgraphUrls[service];
    return url === undefined ? createSubgraph(service, parts) : { url, token: configuration.subgraphTokens[0] ?? null };
  });
}

/** A subgraph in this process, connected to its service and reported in the metrics. The caller closes it. */
export function createSubgraph(service: ServiceName, parts: SharedParts): Subgraph {
  const subgraph = watchKeyEnd(openSubgraph(service, parts), parts);
  if (subgraph.warmUp !== undefined) parts.warmUps.push(() => subgraph.warmUp?.() ?? Promise.resolve());
  parts.metrics?.watchSources(() => [{ name: service, ...subgraph.status(), figures: subgraph.figures(null) }]);
  return subgraph;
}

const DAY_MS = 24 * 3600 * 1000;

/** Logs once a day when the operator's key ends, if that is soon: a process runs for months. The start says it too. */
function watchKeyEnd(subgraph: OpenedSubgraph, { log }: SharedParts): OpenedSubgraph {
  const { keyEndsSeconds } = subgraph.figures(null);
  if (keyEndsSeconds === undefined) return subgraph;
  const timer = setInterval(() => {
    const end = endInWords(keyEndsSeconds * 1000, Date.now());
    if (end !== null) log.warn({ service: subgraph.name }, `the operator's key ${end}`);
  }, DAY_MS).unref();
  const close = () => {
    clearInterval(timer);
    return subgraph.close();
  };
  return { ...subgraph, close };
}

/** A service that is off still has an address, which is never called. */
const NOWHERE = 'http://127.0.0.1:9';

/** A subgraph over the client of its service: its address behind quota, cache, retries and breaker. */
function openSubgraph<S extends ServiceName>(service: S, parts: SharedParts): OpenedSubgraph {
  const { configuration, stores, log, metrics, watchCaches, mintCredential } = parts;
  const { cacheDir, outgoingProxies } = configuration;
  const { dialect, operatorKey, open } = SUBGRAPHS[service];
  const settings = settingsOf(service, parts);
  const mode = settings === null ? 'off' : configuration.upstreams[service].mode;
  const addressOf = (all: ServiceSettings<S>) => String(all[SERVICE_ENTRIES[service].baseUrl as keyof typeof all]);
  const baseUrl = settings === null ? NOWHERE : addressOf(settings);
  const key = settings === null ? null : operatorKey(settings);
  const watchCache = watchCaches(service);
  const upstream = createUpstream(
    {
      service,
      mode,
      baseUrl,
      operatorKey: key === null ? null : mintCredential(key),
      keyEndsMs: key === null ? null : claimsOf(key).endsMs,
      // Deriving it takes tens of milliseconds, and only replicas with a common Redis need it.
      ...(key !== null && stores.redis !== null && { operatorAccount: operatorAccountOf(key) }),
      dialect,
      ...createUpstreamObserver(log, metrics),
    },
    createSystemPorts(stores, watchCache, outgoingProxies),
  );
  return open({ mode, baseUrl, settings, upstream, cacheDir, stores, watchCache, log });
}

/** What the variables of a service say, or those of its sandbox; null if it is off. */
function settingsOf<S extends ServiceName>(
  service: S,
  { configuration, sandbox }: SharedParts,
): ServiceSettings<S> | null {
  const upstream = configuration.upstreams[service];
  if (upstream.mode === 'real') return upstream.settings;
  if (upstream.mode === 'off' || sandbox === null) return null;
  // Touches only this service's part of the sandbox: a subgraph process starts no other.
  return settingsIn(service, sandboxVariables(sandbox, service));
}
