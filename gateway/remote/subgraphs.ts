import type { Awaitable } from '../../kernel/awaitable.js';
import type { WatchCaches } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Credential, OperationContext, Subgraph } from '../../kernel/operation.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import {
  createSubgraphExecution,
  type SubgraphRequest,
  type SubgraphResponse,
} from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { createHttpExecutor, type Pool } from './http-subgraph.js';
import { createRemoteState, type Figures, type RemoteStatus, UNREACHABLE } from './subgraph-state.js';

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
  readonly name: ServiceName;
  readonly source: Source;
  lastKnown(): RemoteStatus | null;
  findFigures(): Awaitable<Figures>;
}

/** The mode reported for all subgraphs is the first of these that any of them has. */
const MODES = ['sandbox', 'real', 'off', 'unknown'] as const;

/** The status of a source whose subgraph was never reached. */
const UNKNOWN: RemoteStatus = { state: 'DOWN', upstream: 'unknown', detail: UNREACHABLE };

/** How long figures serve all who ask. */
const SHARED_MS = 1_000;

/** Connects the subgraphs. */
export function connectSubgraphs(connections: SubgraphConnections, context: SubgraphsContext): Subgraphs {
  const connected = SERVICES.map((name) => connect(name, connections[name], context));
  const inProcess = new Map<string, Subgraph>();
  for (const name of SERVICES) {
    const connection = connections[name];
    if (connection.kind === 'in-process') inProcess.set(name, connection.subgraph);
  }
  warnOfMissingToken(connections, context.log);
  let shared = { startedMs: Number.NEGATIVE_INFINITY, figures: Promise.resolve<readonly Figures[]>([]) };
  return {
    sourceFor(name) {
      const found = connected.find((one) => one.name === name);
      if (found === undefined) throw new Error(`The supergraph names a subgraph that is not ours: ${name}.`);
      return found.source;
    },
    inProcess,
    // Without a key, a minute later than the subgraph itself is soon enough.
    versionOf: (name, credential) => {
      const own = inProcess.get(name);
      return own === undefined ? (credential === null ? '' : null) : own.version(credential);
    },
    lastKnown: () =>
      connected.flatMap(({ name, lastKnown }) => {
        const status = lastKnown();
        return status === null ? [] : [{ name, ...status }];
      }),
    async fetchReports() {
      const nowMs = performance.now();
      if (nowMs - shared.startedMs >= SHARED_MS)
        shared = { startedMs: nowMs, figures: Promise.all(connected.map(({ findFigures }) => findFigures())) };
      const found = await shared.figures;
      const ageMs = performance.now() - Math.min(...found.map(({ atMs }) => atMs));
      const sources = connected.map(({ name, lastKnown }, at) => ({
        name,
        ...(lastKnown() ?? UNKNOWN),
        ...(found[at]?.figures ?? NO_FIGURES),
      }));
      return { sources, ageMs };
    },
    upstreams() {
      const modes = new Set(connected.map(({ lastKnown }) => (lastKnown() ?? UNKNOWN).upstream));
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
  { dispatcher, probes, watchCaches, log }: SubgraphsContext,
): Connected {
  if (connection.kind === 'in-process') {
    const { subgraph } = connection;
    return {
      name: service,
      source: createSource(service, createSubgraphExecution(subgraph, log, watchCaches(service)), log),
      lastKnown: () => subgraph.status(),
      findFigures: () => ({ figures: subgraph.figures(null), atMs: performance.now() }),
    };
  }
  const { url, token } = connection;
  const state = createRemoteState({ service, url, token }, probes, log);
  const execute = createHttpExecutor({ service, url, token, dispatcher, state });
  const source = createSource(service, execute, log);
  return { name: service, source, lastKnown: state.last, findFigures: state.probe };
}

/** The source of a service: its operations are spans of the request's trace, and end when the request is cut off. */
function createSource(service: ServiceName, execute: ExecuteForRequest, log: Log): Source {
  return async (request, gatewayRequest, planNode) => {
    const { id: requestId, recorder } = gatewayRequest;
    const attributes = { 'passerelle.subgraph': service, 'passerelle.plan_node': planNode };
    const span = gatewayRequest.span?.child(`fetch ${service}`, attributes);
    const executing = async () => {
      gatewayRequest.signal.throwIfAborted();
      return execute(request, gatewayRequest.operationOf(service, planNode, span), gatewayRequest);
    };
    try {
      const response = await settleInTime(executing(), gatewayRequest);
      span?.end({ 'passerelle.errors': response.errors?.length ?? 0 });
      const whole = response.errors?.find(isOfWhole);
      if (whole === undefined) return response;
      recorder.forbidCaching();
      return { data: null, errors: [whole] };
    } catch (error) {
      span?.end({}, 'failed');
      // Not cached: a source that is down is reported as a state without an error, and may soon be up again.
      recorder.forbidCaching();
      const failed = { requestId, subgraph: service };
      if (error instanceof CodedError) {
        log.warn({ ...failed, code: error.code, err: error.cause }, 'subgraph request failed');
        return { data: null, errors: [{ message: error.message, extensions: { ...error.extensions } }] };
      }
      log.error({ ...failed, err: error }, 'subgraph request failed');
      return { data: null, errors: [{ message: INTERNAL_MESSAGE, extensions: { code: 'INTERNAL' } }] };
    }
  };
}

/** Whether an error is of the operation itself, or of the whole list of its entities. */
function isOfWhole({ path = [] }: NonNullable<SubgraphResponse['errors']>[number]): boolean {
  return path.length === 0 || (path.length === 1 && path[0] === '_entities');
}
