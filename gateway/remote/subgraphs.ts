import { oncePerSecond, type WatchCaches } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Credential, Subgraph } from '../../kernel/operation.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import {
  createSubgraphExecution,
  type SubgraphRequest,
  type SubgraphResponse,
} from '../../runtime/subgraph-execution.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { createHttpSubgraph, type HttpSubgraph, type RemoteStatus, type SubgraphAddress } from './http-subgraph.js';

/** A subgraph of this process, or where it runs. */
export type SubgraphConnection = Subgraph | Omit<SubgraphAddress, 'service'>;

/** Where each subgraph runs. */
export type SubgraphConnections = Readonly<Record<ServiceName, SubgraphConnection>>;

/**
 * Executes an operation on one subgraph, in whichever process it runs, with the caller's credential for its service
 * alone. Never rejects: what failed as a whole has no data and, first, an error without a place. Else there are as many
 * entities as representations.
 */
export type SubgraphFetcher = (
  request: SubgraphRequest,
  gatewayRequest: GatewayRequest,
  planNode: string,
) => Promise<SubgraphResponse>;

/** The subgraphs of a gateway, whatever processes they run in. */
export type Subgraphs = ReturnType<typeof connectSubgraphs>;

/** What all subgraphs of a gateway are connected with. */
interface ConnectionOptions {
  /** Limit on one response to a client, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
}

/** The mode reported for all subgraphs is the first of these that any of them has. */
const MODES = ['sandbox', 'real', 'off', 'unknown'] as const;

/** Connects the subgraphs. */
export function connectSubgraphs(connections: SubgraphConnections, options: ConnectionOptions) {
  const connected = SERVICES.map((name) => {
    const { execute, ...source } = connect(name, connections[name], options);
    return { name, ...source, fetcher: createFetcher(name, execute, options.log) };
  });
  const local = Object.values(connections).flatMap((one) => ('url' in one ? [] : [one]));
  const inProcess: ReadonlyMap<string, Subgraph> = new Map(local.map((subgraph) => [subgraph.name, subgraph]));
  warnOfMissingToken(connections, options.log);
  const lastKnown = () => connected.map(({ name, status }) => ({ name, ...status() }));
  return {
    /** The fetcher of a subgraph, by its name in the supergraph. */
    fetcherFor(name: string): SubgraphFetcher {
      const found = connected.find((one) => one.name === name);
      if (found === undefined) throw new Error(`The supergraph names a subgraph that is not ours: ${name}.`);
      return found.fetcher;
    },
    /** The subgraphs that run in this process, by their names in the supergraph. */
    inProcess,
    /**
     * The version of a subgraph for a caller with this key (`Subgraph.version`). Of one elsewhere, nobody can tell;
     * without a key, a minute later than the subgraph itself is soon enough.
     */
    versionOf(name: ServiceName, credential: Credential | null): string | null {
      const own = inProcess.get(name);
      return own === undefined ? (credential === null ? '' : null) : own.version(credential);
    },
    /** The last known state of each source, without waiting for a call. */
    lastKnown,
    /**
     * State and figures of each source, quotas of the operator's key, as they were up to `ageMs` milliseconds ago. Figures
     * are computed, and subgraphs elsewhere asked, once a second at most.
     */
    async fetchReports() {
      const found = await Promise.all(connected.map(async (one) => ({ ...one, ...(await one.findFigures()) })));
      const sources = found.map(({ name, status, figures }) => ({ name, ...status(), ...figures }));
      return { sources, ageMs: performance.now() - Math.min(...found.map(({ atMs }) => atMs)) };
    },
    /** The value of the header `x-passerelle-upstreams` (architecture 2). */
    upstreams() {
      const modes = new Set(connected.map(({ upstream }) => upstream()));
      return MODES.find((mode) => modes.has(mode)) ?? 'unknown';
    },
    /** Closes the connections. Subgraphs in this process are not closed. */
    async close() {
      await Promise.all(connected.map(({ close }) => close()));
    },
  };
}

/** Without a token, a subgraph takes the gateway for any other client and reports less to it. */
function warnOfMissingToken(connections: SubgraphConnections, log: Log): void {
  const subgraphs = SERVICES.filter((name) => 'token' in connections[name] && connections[name].token === null);
  if (subgraphs.length === 0) return;
  const effect = 'nobody can log in, and `Cache-Status`, traces, prices and call limits leave out their calls';
  const alike = 'separate subgraphs treat this gateway like any client, or refuse it if they have a token';
  log.warn({ subgraphs }, `without SUBGRAPH_TOKEN, ${alike}: ${effect}`);
}

/** A subgraph, in whichever process it runs. */
function connect(service: ServiceName, subgraph: SubgraphConnection, options: ConnectionOptions) {
  if ('url' in subgraph) return createHttpSubgraph({ service, ...subgraph }, options);
  // It never changes, and each response says it.
  const { upstream } = subgraph.status();
  return {
    execute: createSubgraphExecution(subgraph, options.log, options.watchCaches(service)),
    status: (): RemoteStatus => subgraph.status(),
    upstream: () => upstream,
    findFigures: oncePerSecond(() => ({ figures: subgraph.figures(null), atMs: performance.now() })),
    close: async () => {},
  };
}

/** The fetcher of a service: its operations are spans of the request's trace, and end when the request is cut off. */
function createFetcher(service: ServiceName, execute: HttpSubgraph['execute'], log: Log): SubgraphFetcher {
  return async (request, gatewayRequest, planNode) => {
    const { id: requestId, recorder } = gatewayRequest;
    const attributes = { 'passerelle.subgraph': service, 'passerelle.plan_node': planNode };
    const span = gatewayRequest.span?.child(`fetch ${service}`, attributes);
    const executing = async () => {
      gatewayRequest.throwIfAborted();
      return execute(request, gatewayRequest.operationOf(service, planNode, span), gatewayRequest);
    };
    try {
      const response = await settleInTime(executing(), gatewayRequest);
      span?.end({ 'passerelle.errors': response.errors?.length ?? 0 });
      // Of the operation itself, or of the whole list of its entities.
      const whole = response.errors?.find(({ path = [] }) => path.length === 0 || `${path}` === '_entities');
      if (whole === undefined) return response;
      recorder.forbidCaching();
      return { data: null, errors: [whole] };
    } catch (err) {
      span?.end({}, 'failed');
      // Not cached: a source that is down is reported as a state without an error, and may soon be up again.
      recorder.forbidCaching();
      const isCoded = err instanceof CodedError;
      const { message, extensions } = isCoded ? err : new CodedError('INTERNAL', INTERNAL_MESSAGE);
      const failed = { requestId, subgraph: service, code: extensions['code'], err: isCoded ? err.cause : err };
      log[isCoded ? 'warn' : 'error'](failed, 'subgraph request failed');
      return { data: null, errors: [{ message, extensions }] };
    }
  };
}
