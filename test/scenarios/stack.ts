import '../supergraph-once.js';
import { rm } from 'node:fs/promises';
import { expect } from 'vitest';
import { type Running, start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import type { Role } from '../../runtime/configuration/role.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.js';
import { SERVICES } from '../../schema/services.js';
import type { Trace } from '../../schema/trace.js';
import { ENGINE_FOLDER, HIVE, startHiveGateway } from '../engines/hive-gateway.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createMemoryLog, type MemoryLog } from './memory-log.js';

/** How the processes are cut: all in one, or the three subgraphs over HTTP behind our gateway or another engine. */
export type Shape = 'in process' | 'apart' | typeof HIVE;

/** Those that a test runs in; only the other engine where `npm run test:engines` requests it. */
export const SHAPES: readonly Shape[] = ENGINE_FOLDER === null ? ['in process', 'apart'] : [HIVE];

/** Opens the subgraphs to the gateway of the apart shape, and nothing else. */
export const SUBGRAPH_TOKEN = 'subgraph-token-of-the-tests';

export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly service?: string;
    readonly retryAfterSeconds?: number;
    readonly requestId?: string;
  };
}

export interface StackResponse {
  readonly status: number;
  readonly headers: Headers;
  // Scenarios compare parts of responses whose shape is their own query's.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
  readonly errors: readonly GraphqlError[];
  readonly trace: Trace | undefined;
}

export interface SendOptions {
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** The whole product over HTTP, in front of a sandbox. */
export interface Stack {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly log: MemoryLog;
  send(query: string, options?: SendOptions): Promise<StackResponse>;
  /** what the three services were sent since the last `forgetCalls`, as sorted lines `service METHOD path?query key`. */
  calls(): string[];
  forgetCalls(): void;
  close(): Promise<void>;
}

export interface StackOptions {
  readonly shape: Shape;
  readonly sandbox?: SandboxOptions;
  /** Further variables of the environment, for every process. */
  readonly env?: Record<string, string>;
  /** Whether the load of the export, which begins with the product, is waited for; it is unless a scenario is about it. */
  readonly awaitsExport?: boolean;
  /** What the services do before the product starts. */
  readonly prepare?: (sandbox: Sandbox) => void;
}

/**
 * Starts a sandbox and the product in front of it. The list of calls begins empty, behind those of the start. Nothing is
 * shared with another stack; close it when done.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { shape, sandbox: sandboxOptions, env = {}, awaitsExport = true, prepare = () => {} } = options;
  const sandbox = await startSandbox(sandboxOptions);
  prepare(sandbox);
  const cacheDir = temporaryFolder();
  const log = createMemoryLog();
  const common = { ...variablesOf(sandbox), PORT: '0', CACHE_DIR: cacheDir, SUBGRAPH_TOKEN, ...env };
  const running: Pick<Running, 'close'>[] = [];
  const open = async (role: Role, more: Record<string, string> = {}): Promise<string> => {
    const opened = await start(readConfiguration(role, { ...common, ...more }), log);
    running.push(opened);
    void opened.warmUp();
    return opened.url;
  };
  const url = await openShape();

  async function openShape(): Promise<string> {
    if (shape === 'in process') return open('all');
    const subgraphs = await openSubgraphs(open);
    if (shape === 'apart') return open('gateway', subgraphs);
    const engine = await startHiveGateway({ SUBGRAPH_TOKEN, ...subgraphs });
    running.push(engine);
    return engine.url;
  }

  const services = {
    'work-study': sandbox.workStudy,
    volunteering: sandbox.volunteering,
    'waste-identity': sandbox.waste,
  };
  const stack: Stack = {
    url,
    sandbox,
    log,
    send: (query, options) => send(url, query, options),
    calls: () =>
      Object.entries(services).flatMap(([name, service]) => service.callLines().map((line) => `${name} ${line}`)),
    forgetCalls() {
      for (const service of Object.values(services)) service.clearCalls();
    },
    async close() {
      for (const opened of running.reverse()) await opened.close();
      await sandbox.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
  if (awaitsExport) {
    await exportSettled(log);
    stack.forgetCalls();
  }
  return stack;
}

/** Resolves when the load of the export that begins with a process has ended, well or badly. */
export async function exportSettled(log: MemoryLog): Promise<void> {
  await log.seen(({ message }) => /^export (up to date|not refreshed)/.test(message));
}

type Open = (role: Role, more?: Record<string, string>) => Promise<string>;

/** The variables that tell a gateway where they are. */
async function openSubgraphs(open: Open): Promise<Record<string, string>> {
  const [workStudy, wasteIdentity, volunteering] = await Promise.all(SERVICES.map((service) => open(service)));
  return {
    SUBGRAPH_WORK_STUDY_URL: workStudy ?? '',
    SUBGRAPH_WASTE_IDENTITY_URL: wasteIdentity ?? '',
    SUBGRAPH_VOLUNTEERING_URL: volunteering ?? '',
  };
}

/** Compares what a trace says it cost; another engine has no trace. */
export function expectCallsMade(trace: Trace | undefined, count: number): void {
  if (ENGINE_FOLDER === null) expect(trace?.totals.callsMade).toBe(count);
}

/** Asks one query with the trace on. */
export async function send(
  url: string,
  query: string,
  { variables, headers, signal }: SendOptions = {},
): Promise<StackResponse> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...headers },
    body: JSON.stringify({ query, ...(variables && { variables }) }),
    ...(signal && { signal }),
  });
  const body = (await response.json()) as {
    data?: unknown;
    errors?: GraphqlError[];
    extensions?: { passerelle?: Trace };
  };
  return {
    status: response.status,
    headers: response.headers,
    data: body.data,
    errors: body.errors ?? [],
    trace: body.extensions?.passerelle,
  };
}
