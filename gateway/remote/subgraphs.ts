import type { Awaitable } from '../../kernel/awaitable.js';
import type { WatchCaches } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Credential, OperationContext, Subgraph } from '../../kernel/operation.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import type { SourceFigures } from '../../kernel/source-figures.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import {
  createSubgraphExecution,
  type SubgraphRequest,
  type SubgraphResponse,
} from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { createRemoteState, type Pool, type RemoteStatus, type Report } from './subgraph-state.js';

/** Where a subgraph runs. */
export type SubgraphConnection =
  | { readonly kind: 'in-process'; readonly subgraph: Subgraph }
  | { readonly kind: 'http'; readonly url: string; readonly token: Secret | null };

/** Where each subgraph runs. */
export type SubgraphConnections = Readonly<Record<ServiceName, SubgraphConnection>>;

/**
 * Executes an operation on one subgraph, in whichever process it runs, with the caller's credential for its service
 * alone. Never rejects: what failed as a whole has no data and, first, an error without a place.
 */
export type Source = (
  request: SubgraphRequest,
  gatewayRequest: GatewayRequest,
  planNode: string,
) => Promise<SubgraphResponse>;

/** The same for one operation of a request. Throws a CodedError that says why it failed, or an internal error. */
export type ExecuteForRequest = (
  request: SubgraphRequest,
  operation: OperationContext,
  gatewayRequest: GatewayRequest,
) => Awaitable<SubgraphResponse>;

/** A source as the trace shows it. */
export type NamedStatus = RemoteStatus & { readonly name: ServiceName };

/** A source as `/readyz` shows it; the quotas are those of the operator's key. */
export type SourceReport = NamedStatus & SourceFigures;

/** All sources, as they were up to `ageMs` milliseconds ago. */
export interface SourceReports {
  /** The same array for all who ask within a second, unless a state changes. */
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
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

interface Connected {
  readonly source: Source;
  lastKnown(): RemoteStatus | null;
  report(): Awaitable<Report>;
}

/** The mode reported for all subgraphs is the first of these that any of them has. */
const MODES = ['sandbox', 'real', 'off', 'unknown'] as const;

/** How long reports serve all who ask. */
const SHARED_MS = 1_000;

/** Connects the subgraphs. */
export async function connectSubgraphs(
  connections: SubgraphConnections,
  context: SubgraphsContext,
): Promise<Subgraphs> {
  const connecting = SERVICES.map(async (name) => [name, await connect(name, connections[name], context)] as const);
  const connected = new Map(await Promise.all(connecting));
  const found = (name: string) => {
    const subgraph = connected.get(name as ServiceName);
    if (subgraph === undefined) throw new Error(`The supergraph names a subgraph that is not ours: ${name}.`);
    return subgraph;
  };
  const inProcess = new Map<string, Subgraph>();
  for (const name of SERVICES) {
    const connection = connections[name];
    if (connection.kind === 'in-process') inProcess.set(name, connection.subgraph);
  }
  warnOfMissingToken(connections, context.log);
  const statesNow = () => JSON.stringify(SERVICES.map((name) => found(name).lastKnown()));
  let shared: SharedReports | null = null;
  return {
    sourceFor: (name) => found(name).source,
    inProcess,
    // Without a key, a minute later than the subgraph itself is soon enough.
    versionOf: (name, credential) => {
      const own = inProcess.get(name);
      return own === undefined ? (credential === null ? '' : null) : own.version(credential);
    },
    lastKnown: () =>
      SERVICES.flatMap((name) => {
        const status = found(name).lastKnown();
        return status === null ? [] : [{ name, ...status }];
      }),
    async fetchReports() {
      const nowMs = performance.now();
      if (shared === null || nowMs - shared.startedMs >= SHARED_MS || (shared.states ?? statesNow()) !== statesNow())
        shared = { startedMs: nowMs, states: null, reports: reportAll(connected) };
      const { reports } = shared;
      const { sources, atMs } = await reports;
      if (reports === shared.reports) shared.states ??= statesNow();
      return { sources, ageMs: performance.now() - atMs };
    },
    upstreams() {
      const modes = new Set(SERVICES.map((name) => found(name).lastKnown()?.upstream ?? 'unknown'));
      return MODES.find((mode) => modes.has(mode)) ?? 'unknown';
    },
  };
}

/** Reports that serve all who ask, for a second or until a state changes. */
interface SharedReports {
  readonly startedMs: number;
  readonly reports: ReturnType<typeof reportAll>;
  /** The states that they found, once they have. */
  states: string | null;
}

/** All sources, and when the earliest of them was found so. */
async function reportAll(connected: ReadonlyMap<ServiceName, Connected>) {
  const reports = await Promise.all([...connected].map(async ([name, { report }]) => ({ name, ...(await report()) })));
  const sources = reports.map(({ name, status, figures }) => ({ name, ...status, ...figures }));
  return { sources, atMs: Math.min(...reports.map(({ atMs }) => atMs)) };
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

async function connect(
  service: ServiceName,
  connection: SubgraphConnection,
  { dispatcher, probes, watchCaches, log }: SubgraphsContext,
): Promise<Connected> {
  if (connection.kind === 'in-process') {
    const { subgraph } = connection;
    return {
      source: createSource(service, createSubgraphExecution(subgraph, log, watchCaches(service), 'plan'), log),
      lastKnown: () => subgraph.status(),
      report: () => ({ status: subgraph.status(), figures: subgraph.figures(null), atMs: performance.now() }),
    };
  }
  const { url, token } = connection;
  const state = createRemoteState({ service, url, token }, probes, log);
  // It loads @apollo/gateway, which one process for all does without.
  const { createHttpExecutor } = await import('./http-subgraph.js');
  const execute = createHttpExecutor({ service, url, token, dispatcher, state });
  return { source: createSource(service, execute, log), lastKnown: state.last, report: state.probe };
}

/** The source of a service: its operations are spans of the request's trace, and end when the request is cut off. */
export function createSource(service: ServiceName, execute: ExecuteForRequest, log: Log): Source {
  async function fetchInTime(...[request, gatewayRequest, planNode]: Parameters<Source>): Promise<SubgraphResponse> {
    gatewayRequest.signal.throwIfAborted();
    const attributes = { 'passerelle.subgraph': service, 'passerelle.plan_node': planNode };
    const span = gatewayRequest.span?.child(`fetch ${service}`, attributes);
    try {
      const operation = gatewayRequest.operationOf(service, planNode, span);
      const response = await settleInTime(executing(request, operation, gatewayRequest), gatewayRequest);
      span?.end({ 'passerelle.errors': response.errors?.length ?? 0 });
      return response;
    } catch (error) {
      span?.end({}, 'failed');
      throw error;
    }
  }

  /** A promise, whatever the execution returns or throws. */
  const executing = async (...operation: Parameters<ExecuteForRequest>) => execute(...operation);

  return async (request, gatewayRequest, planNode) => {
    try {
      const response = await fetchInTime(request, gatewayRequest, planNode);
      const whole = response.errors?.find(isOfWhole);
      if (whole === undefined) return response;
      gatewayRequest.recorder.forbidCaching();
      return { data: null, errors: [whole] };
    } catch (error) {
      // Not cached: a source that is down is reported as a state without an error, and may soon be up again.
      gatewayRequest.recorder.forbidCaching();
      const { id: requestId } = gatewayRequest;
      if (error instanceof CodedError) {
        log.warn({ requestId, subgraph: service, code: error.code, err: error.cause }, 'subgraph request failed');
        return { data: null, errors: [{ message: error.message, extensions: { ...error.extensions } }] };
      }
      log.error({ requestId, subgraph: service, err: error }, 'subgraph request failed');
      return { data: null, errors: [{ message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } }] };
    }
  };
}

/** Whether an error is of the operation itself, or of the whole list of its entities. */
function isOfWhole({ path = [] }: NonNullable<SubgraphResponse['errors']>[number]): boolean {
  return path.length === 0 || (path.length === 1 && path[0] === '_entities');
}
