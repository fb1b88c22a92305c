import '../supergraph-once.js';
import { rm } from 'node:fs/promises';
import { env } from 'node:process';
import { expect } from 'vitest';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import type { Trace } from '../../kernel/trace.js';
import { type Running, start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import type { Role } from '../../runtime/configuration/role.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.js';
import { HIVE } from '../engines/differences.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createMemoryLog, type MemoryLog } from './memory-log.js';

/** How the product is split: all in one process, or some or all subgraphs over HTTP behind our gateway or another engine. */
export type Shape = 'in process' | 'apart' | 'mixed' | typeof HIVE;

/** `TEST_SHAPE=apart` runs all scenarios apart, as `npm run test:long` does after the other tests. */
const CHOSEN = env['TEST_SHAPE'] as 'apart' | undefined;

/** The folder in which `npm run test:engines` has installed Hive Gateway; null in any other run. */
const ENGINE_FOLDER = env['ENGINE_FOLDER'] ?? null;

/** The shape of tests that usually run in one only. */
export const ONE_SHAPE: Shape = CHOSEN ?? 'in process';

/** The shapes that tests run in: only the other engine under `npm run test:engines`. */
export const SHAPES: readonly Shape[] =
  ENGINE_FOLDER !== null ? [HIVE] : CHOSEN === undefined ? ['in process', 'apart'] : [CHOSEN];

/** The shape of larger tests of what comes from the services rather than from the way to them. */
export const USUAL_SHAPE: readonly Shape[] = ENGINE_FOLDER !== null ? SHAPES : [ONE_SHAPE];

/** Whether a test does not run in the chosen shape; prints why, if so. */
export function onlyInProcess(why: string): boolean {
  if (CHOSEN === undefined) return false;
  console.log(`in process only: ${why}`);
  return true;
}

/** Whether the tests of a whole process do not run, because another shape was chosen. */
export const IS_APART = onlyInProcess('they follow a request through one process');

/** The token with which gateways reach the subgraphs when they run apart. */
export const SUBGRAPH_TOKEN = 'subgraph-token-of-the-tests-and-no-other';

export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly argument?: readonly (string | number)[];
    readonly service?: string;
    readonly retryAfterSeconds?: number;
    readonly requestId?: string;
  };
}

export interface StackResponse {
  readonly status: number;
  readonly headers: Headers;
  // Scenarios compare parts of responses, whose shape depends on their query.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
  readonly errors: readonly GraphqlError[];
  readonly trace: Trace | undefined;
  /** The staleness that its extensions tell of. */
  readonly stale: unknown;
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
  /**
   * Calls to the three services since the last `forgetCalls`, as lines `service METHOD path?query key`, sorted per
   * service.
   */
  calls(): string[];
  forgetCalls(): void;
  close(): Promise<void>;
}

export interface StackOptions {
  readonly shape: Shape;
  readonly sandbox?: SandboxOptions;
  /** Further variables of the environment, for every process. */
  readonly env?: Record<string, string>;
  /** Whether to wait for the export to load, which starts with the product; true if omitted. */
  readonly awaitsExport?: boolean;
  /** Prepares the services before the product starts. */
  readonly prepare?: (sandbox: Sandbox) => void;
}

/**
 * Starts a sandbox and the product in front of it. Unless `awaitsExport` is false, calls made at startup are forgotten.
 * Nothing is shared with another stack; close it when done.
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
    if (shape === 'mixed') return open('all', { SUBGRAPH_VOLUNTEERING_URL: await open('volunteering') });
    const subgraphs = await openSubgraphs(open);
    if (shape === 'apart') return open('gateway', subgraphs);
    if (ENGINE_FOLDER === null) throw new Error('Hive Gateway is started by `npm run test:engines` only.');
    const { startHiveGateway } = await import('../../test-long/engines/hive-gateway.js');
    const engine = await startHiveGateway(ENGINE_FOLDER, { SUBGRAPH_TOKEN, ...subgraphs });
    running.push(engine);
    return engine.url;
  }

  const stack: Stack = {
    url,
    sandbox,
    log,
    send: (query, options) => send(url, query, options),
    calls: () =>
      sandbox.services.flatMap((name) =>
        sandbox
          .serviceOf(name)
          .callLines()
          .map((line) => `${name} ${line}`),
      ),
    forgetCalls() {
      for (const service of sandbox.running) service.clearCalls();
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

/** Resolves once the export, whose load starts with the process, has loaded or failed. */
export async function exportSettled(log: MemoryLog): Promise<void> {
  await log.seen(({ message }) => /^export (up to date|not refreshed)/.test(message));
}

type Open = (role: Role, more?: Record<string, string>) => Promise<string>;

/** Starts the subgraphs; returns the variables with their addresses for a gateway. */
async function openSubgraphs(open: Open): Promise<Record<string, string>> {
  const urls = await Promise.all(
    SERVICES.map(async (service) => [SERVICE_ENTRIES[service].addressVariable, await open(service)] as const),
  );
  return Object.fromEntries(urls);
}

/** Expects this number of calls in a trace; another engine has no trace. */
export function expectCallsMade(trace: Trace | undefined, count: number): void {
  if (ENGINE_FOLDER === null) expect(trace?.totals.callsMade).toBe(count);
}

/** Sends one query with the trace on. */
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
    extensions?: { passerelle?: Trace; stale?: unknown };
  };
  return {
    status: response.status,
    headers: response.headers,
    data: body.data,
    errors: body.errors ?? [],
    trace: body.extensions?.passerelle,
    stale: body.extensions?.stale,
  };
}
