import type { WatchCaches } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import type { Credential, Subgraph } from '../../kernel/operation.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import type { SourceFigures } from '../../kernel/source-figures.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { createSubgraphExecution } from '../../runtime/subgraph-execution.js';
import { createHttpExecutor } from './http-subgraph.js';
import { createSource, type Source, type SubgraphExecutor } from './source.js';
import { createSubgraphResponses, type SubgraphResponses } from './subgraph-responses.js';
import {
  createRemoteState,
  createReports,
  type Pool,
  type RemoteStatus,
  type Report,
  type Reported,
  SHARED_MS,
} from './subgraph-state.js';

/** Where a subgraph runs. */
export type SubgraphConnection =
  | { readonly kind: 'in-process'; readonly subgraph: Subgraph }
  | { readonly kind: 'http'; readonly url: string; readonly token: Secret | null };

/** Where each subgraph runs. */
export type SubgraphConnections = Readonly<Record<ServiceName, SubgraphConnection>>;

/** A source as the trace shows it. */
export type NamedStatus = RemoteStatus & { readonly name: ServiceName };

/** A source as `/readyz` shows it; the quotas are those of the operator's key. */
export type SourceReport = NamedStatus & SourceFigures;

/** All sources, as they were up to `ageMs` milliseconds ago. */
export interface SourceReports {
  /** The same array as long as nothing in it changes. */
  readonly sources: readonly SourceReport[];
  readonly ageMs: number;
}

/** The subgraphs of a gateway, whatever processes they run in. */
export interface Subgraphs {
  /** The source of a subgraph, by its name in the supergraph. */
  sourceFor(name: string): Source;
  /** The subgraphs that run in this process, by their names in the supergraph. */
  readonly inProcess: ReadonlyMap<string, Subgraph>;
  /** The version of a subgraph for a caller with this key (`Subgraph.version`); of one elsewhere, nobody can tell. */
  versionOf(name: ServiceName, credential: Credential | null): string | null;
  /** The last known state of each source, without a call. */
  lastKnown(): NamedStatus[];
  /** State and figures of each source; figures are computed, and subgraphs elsewhere asked, once a second at most. */
  fetchReports(): Promise<SourceReports>;
  /** The value of the header `x-passerelle-upstreams` (architecture 2). */
  upstreams(): 'sandbox' | 'real' | 'off' | 'unknown';
}

/** What connections to subgraphs share. */
export interface SubgraphsContext {
  readonly dispatcher: Pool;
  /** The connections of probes. */
  readonly probes: Pool;
  readonly map: SupergraphMap;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

interface Connected {
  readonly executor: SubgraphExecutor;
  lastKnown(): RemoteStatus | null;
  /** Which services it calls; null until it has responded once. */
  mode(): RemoteStatus['upstream'] | null;
  fetchState(): Promise<Reported>;
}

/** The mode reported for all subgraphs is the first of these that any of them has. */
const MODES = ['sandbox', 'real', 'off', 'unknown'] as const;

/** Connects the subgraphs. */
export function connectSubgraphs(connections: SubgraphConnections, context: SubgraphsContext): Subgraphs {
  const responses = createSubgraphResponses(context.watchCaches('gateway'));
  const connected = new Map<string, Connected>(
    SERVICES.map((name) => [name, connect(name, connections[name], responses, context)]),
  );
  let reported: { readonly reports: readonly Report[]; readonly sources: readonly SourceReport[] } = {
    reports: [],
    sources: [],
  };
  warnOfMissingToken(connections, context.log);
  const inProcess = new Map(
    SERVICES.flatMap((name) => {
      const connection = connections[name];
      return connection.kind === 'in-process' ? [[name, connection.subgraph] as const] : [];
    }),
  );
  return {
    sourceFor(name) {
      const found = connected.get(name);
      if (found === undefined) throw new Error(`The supergraph names a subgraph that is not ours: ${name}.`);
      return createSource(name, found.executor, context.map, context.log);
    },
    inProcess,
    // Without a key, a minute later than the subgraph itself is soon enough.
    versionOf: (name, credential) => {
      const own = inProcess.get(name);
      return own === undefined ? (credential === null ? '' : null) : own.version(credential);
    },
    lastKnown: () =>
      [...connected].flatMap(([name, { lastKnown }]) => {
        const status = lastKnown();
        return status === null ? [] : [{ name: name as ServiceName, ...status }];
      }),
    async fetchReports() {
      const found = await Promise.all([...connected.values()].map(({ fetchState }) => fetchState()));
      if (found.some(({ report }, at) => report !== reported.reports[at])) {
        const reports = found.map(({ report }) => report);
        reported = { reports, sources: SERVICES.map((name, at) => ({ name, ...(reports[at] as Report) })) };
      }
      return { sources: reported.sources, ageMs: Math.max(...found.map(({ ageMs }) => ageMs)) };
    },
    upstreams() {
      const modes = new Set([...connected.values()].map(({ mode }) => mode() ?? 'unknown'));
      return MODES.find((mode) => modes.has(mode)) ?? 'unknown';
    },
  };
}

/** Without a token, a subgraph takes the gateway for any other client and reports less to it. */
function warnOfMissingToken(connections: SubgraphConnections, log: Log): void {
  const subgraphs = SERVICES.filter((name) => {
    const connection = connections[name];
    return connection.kind === 'http' && connection.token === null;
  });
  if (subgraphs.length === 0) return;
  const effect = 'nobody can log in, and `Cache-Status`, traces, prices and call limits leave out their calls';
  const alike = 'separate subgraphs treat this gateway like any client, or refuse it if they have a token';
  log.warn({ subgraphs }, `without SUBGRAPH_TOKEN, ${alike}: ${effect}`);
}

function connect(
  service: ServiceName,
  connection: SubgraphConnection,
  responses: SubgraphResponses,
  { dispatcher, probes, watchCaches, log }: SubgraphsContext,
): Connected {
  if (connection.kind === 'in-process') {
    const { subgraph } = connection;
    const mode = subgraph.status().upstream;
    return {
      executor: { service, execute: createSubgraphExecution(subgraph, log, watchCaches(service), 'plan') },
      lastKnown: () => subgraph.status(),
      mode: () => mode,
      fetchState: createOwnState(subgraph),
    };
  }
  const { url, token } = connection;
  const state = createRemoteState({ service, url, token }, probes, log);
  return {
    executor: createHttpExecutor({ service, url, token, dispatcher, state, responses }),
    lastKnown: () => state.last(),
    mode: () => state.last()?.upstream ?? null,
    fetchState: () => state.fetch(),
  };
}

/** The state of a subgraph of this process, with figures that are at most a second old. */
function createOwnState(subgraph: Subgraph): () => Promise<Reported> {
  const reportOf = createReports();
  let computed: { readonly figures: SourceFigures; readonly atMs: number } | null = null;
  return async () => {
    const nowMs = performance.now();
    if (computed === null || nowMs - computed.atMs >= SHARED_MS)
      computed = { figures: subgraph.figures(null), atMs: nowMs };
    return { report: reportOf(subgraph.status(), computed.figures), ageMs: nowMs - computed.atMs };
  };
}
