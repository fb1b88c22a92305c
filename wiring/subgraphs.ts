import type { SubgraphConnection, SubgraphConnections } from '../gateway/remote/subgraphs.js';
import type { Subgraph } from '../kernel/operation.js';
import { fromEachService, SERVICE_ENTRIES, SERVICES, type ServiceName, type UpstreamMode } from '../kernel/services.js';
import { type Configuration, type ServiceSettings, settingsIn } from '../runtime/configuration/configuration.js';
import { operatorAccountOf } from '../runtime/credentials/credentials.js';
import { claimsOf, endInWords } from '../runtime/credentials/key-end.js';
import { createUpstreamObserver } from '../runtime/process/upstream-observer.js';
import { sandboxVariables } from '../sandbox/hints.js';
import { type OpenedSubgraph, SUBGRAPHS } from '../subgraphs/registry.js';
import { createSystemPorts } from '../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../subgraphs/rest/stages/create-upstream.js';
import type { UpstreamService } from '../subgraphs/rest/upstream.js';
import type { SharedParts } from './shared-parts.js';

/** The schemas of all subgraphs; a gateway needs them even when the subgraphs run in other processes. */
export const SUBGRAPH_SCHEMAS = new Map(SERVICES.map((name) => [name, SUBGRAPHS[name].schema]));

/** How the gateway reaches each subgraph: in this process, or over HTTP where the configuration names its URL. */
export function connectAll(configuration: Configuration, parts: SharedParts): SubgraphConnections {
  return fromEachService((service): SubgraphConnection => {
    const url = configuration.subgraphUrls[service];
    return url === undefined
      ? { kind: 'in-process', subgraph: createSubgraph(service, parts) }
      : { kind: 'http', url, token: configuration.subgraphTokens[0] ?? null };
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

function openSubgraph<S extends ServiceName>(service: S, parts: SharedParts): OpenedSubgraph {
  const { configuration, stores, log } = parts;
  const { production, cacheDir } = configuration;
  const located = locate(service, parts);
  return SUBGRAPHS[service].open({
    ...located,
    upstream: connectUpstream(service, located, parts),
    production,
    cacheDir,
    stores,
    log,
  });
}

/** Where a service is, and what its variables say. */
interface Located<S extends ServiceName> {
  readonly mode: UpstreamMode;
  readonly baseUrl: string;
  readonly settings: ServiceSettings<S> | null;
}

/** A service that is off still has an address, which is never called. */
const NOWHERE = 'http://127.0.0.1:9';

/** Where the configuration says a service is: at its real address, in the sandbox, or nowhere. */
function locate<S extends ServiceName>(service: S, { configuration, sandbox }: SharedParts): Located<S> {
  const upstream = configuration.upstreams[service];
  if (upstream.mode === 'real') return at(service, 'real', upstream.settings);
  if (upstream.mode === 'off' || sandbox === null) return { mode: 'off', baseUrl: NOWHERE, settings: null };
  // Touches only this service's part of the sandbox: a subgraph process starts no other.
  return at(service, 'sandbox', settingsIn(service, sandboxVariables(sandbox, service)));
}

function at<S extends ServiceName>(service: S, mode: UpstreamMode, settings: ServiceSettings<S>): Located<S> {
  const { baseUrl }: { readonly baseUrl: string } = SERVICE_ENTRIES[service];
  return { mode, baseUrl: String(settings[baseUrl as keyof ServiceSettings<S>]), settings };
}

/** The client of a service: its address behind quota, cache, retries and breaker, reporting to log and metrics. */
function connectUpstream<S extends ServiceName>(service: S, located: Located<S>, parts: SharedParts): UpstreamService {
  const { stores, log, metrics, mintCredential } = parts;
  const { mode, baseUrl, settings } = located;
  const { dialect, operatorKey } = SUBGRAPHS[service];
  const key = settings === null ? null : operatorKey(settings);
  return createUpstream(
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
    createSystemPorts(stores, parts.watchCaches(service), parts.configuration.outgoingProxies),
  );
}
