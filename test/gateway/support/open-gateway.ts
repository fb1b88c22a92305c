import '../../supergraph-once.js';
import { listenSubgraph } from '../../../gateway/endpoint/subgraph-host.js';
import { createGateway, type Gateway, type GatewayOptions } from '../../../gateway/index.js';
import type { SubgraphConnections } from '../../../gateway/remote/subgraphs.js';
import { unwatched } from '../../../kernel/caches.js';
import type { Log } from '../../../kernel/log.js';
import { SERVICES, type ServiceName } from '../../../kernel/services.js';
import type { Trace } from '../../../kernel/trace.js';
import { createCredentialMinter, createRootKeys } from '../../../runtime/credentials/credentials.js';
import { Secret } from '../../../runtime/credentials/secret.js';
import { composeTestGraph, createTestSubgraph, type Resolvers, type TestSubgraph } from '../support/test-graph.js';

/** Shapes in which the library joins: with all subgraphs in other processes, or only one of them. */
export const REMOTE_SHAPES = ['apart', 'mixed'] as const;
export type Shape = 'in process' | (typeof REMOTE_SHAPES)[number];
/** The process shapes, in all of which a query must give the same response (architecture 2). */
export const SHAPES: readonly Shape[] = ['in process', 'apart'];

const SUBGRAPH_TOKEN = 'token-shared-by-gateway-and-subgraphs';
export const GRAPH = composeTestGraph();

export interface GraphqlResultError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface GraphqlResult {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not.
  readonly data?: any;
  readonly errors?: readonly GraphqlResultError[];
  readonly extensions?: { readonly passerelle?: Trace };
}

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

type Listener = Awaited<ReturnType<typeof listenSubgraph>>;

export interface OpenedGateway {
  readonly url: string;
  readonly subgraphs: Readonly<Record<ServiceName, TestSubgraph>>;
  readonly listeners: readonly Listener[];
  readonly log: readonly LogLine[];
  send(
    query: string,
    more?: { variables?: object; operationName?: string; headers?: Record<string, string> },
  ): Promise<GraphqlResult>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly shape?: Shape;
  readonly resolvers?: Partial<Record<ServiceName, Resolvers>>;
  readonly gateway?: Partial<GatewayOptions>;
  /** Whether responses may be answered from memory; false if omitted, so that every operation is executed. */
  readonly isRemembered?: boolean;
  /** Services whose subgraph is missing, of those in other processes. */
  readonly absent?: readonly ServiceName[];
  /** Where some subgraphs run instead. */
  readonly connections?: Partial<SubgraphConnections>;
}

const mintCredential = createCredentialMinter(createRootKeys([]));

/** Nobody ever listens here, unlike at a port that was just closed: another test may take that. */
const NOWHERE = 'http://127.0.0.1:1/graphql';

/** Opens the small graph behind a gateway on loopback, in one process or with its subgraphs over HTTP. */
export async function openGateway(options: OpenOptions = {}): Promise<OpenedGateway> {
  const { shape = 'in process', resolvers = {}, absent = [] } = options;
  const lines: LogLine[] = [];
  const log = recordingLog(lines);
  const subgraphs = Object.fromEntries(
    SERVICES.map((name) => [name, createTestSubgraph(name, resolvers[name], options.isRemembered)]),
  ) as Record<ServiceName, TestSubgraph>;
  const listeners: Listener[] = [];
  const token = new Secret(SUBGRAPH_TOKEN);
  const apart: Record<string, unknown> = {};
  if (shape !== 'in process') {
    for (const name of shape === 'apart' ? SERVICES : (['volunteering'] as const)) {
      const listener = await listenSubgraph({
        phase: () => 'ready',
        subgraph: subgraphs[name],
        host: '127.0.0.1',
        port: 0,
        subgraphTokens: [token],
        mintCredential,
        requestDeadlineMs: 25_000,
        log,
      });
      listeners.push(listener);
      apart[name] = { url: absent.includes(name) ? NOWHERE : listener.url, token };
    }
  }
  const gateway = await createGateway({
    graph: GRAPH,
    subgraphs: { ...subgraphs, ...apart, ...options.connections },
    subgraphSchemas: new Map(SERVICES.map((name) => [name, () => subgraphs[name].schema])),
    mintCredential,
    requestDeadlineMs: 25_000,
    maxCallsPerRequest: 500,
    callerRequestsPerMinute: 0,
    callerCallsPerMinute: 0,
    trustedProxies: [],
    limitStore: null,
    maxResponseBytes: 33_554_432,
    corsOrigins: [],
    graphiql: true,
    introspection: true,
    production: false,
    trace: 'on',
    safelist: null,
    tracing: null,
    log,
    metrics: null,
    watchCaches: () => unwatched,
    phase: () => 'ready',
    ...options.gateway,
  });
  const { url } = await gateway.listen('127.0.0.1', 0);
  return {
    url,
    subgraphs,
    listeners,
    log: lines,
    send: (query, { variables, operationName, headers } = {}) =>
      post(`${url}/graphql`, { query, variables, operationName }, headers),
    close: () => closeAll(gateway, listeners),
  };
}

/** Sends one GraphQL request as JSON. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<GraphqlResult> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return parseResponse(response);
}

export async function parseResponse(response: Response): Promise<GraphqlResult> {
  const parsed = (await response.json()) as object;
  return { status: response.status, headers: response.headers, ...parsed };
}

/** Code and path of each error. */
export function reported({ errors = [] }: GraphqlResult): string[] {
  return errors.map(({ path = [], extensions }) => `${extensions['code']} ${path.join('.')}`);
}

/** A log that records its lines for the test. */
export function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

async function closeAll(gateway: Gateway, listeners: readonly Listener[]): Promise<void> {
  await gateway.close();
  await Promise.all(listeners.map((listener) => listener.close()));
}
