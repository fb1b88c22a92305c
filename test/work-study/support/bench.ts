import { execute, parse } from 'graphql';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ListenOptions } from '../../../sandbox/server/service.js';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { startWorkStudy } from '../../../sandbox/work-study/index.js';
import type { World } from '../../../sandbox/world/types.js';
import type { Credential, OperationContext, Subgraph } from '../../../schema/operation.js';
import { createUpstream } from '../../../subgraphs/rest/create-upstream.js';
import { systemClock } from '../../../subgraphs/rest/ports/clock.js';
import { createSystemPorts } from '../../../subgraphs/rest/system-ports.js';
import { workStudyDialect } from '../../../subgraphs/work-study/dialect.js';
import { createWorkStudySubgraph } from '../../../subgraphs/work-study/index.js';
import { village } from './village.js';

/** Data of an answer, read as tests read it: any path, undefined where there is nothing. */
// biome-ignore lint/suspicious/noExplicitAny: answers have as many shapes as tests have queries.
type Data = any;

export interface Answered {
  readonly data: Data;
  /** Code and path of each error: `BAD_USER_INPUT commune`. */
  readonly errors: readonly string[];
  readonly messages: readonly string[];
}

export interface Asking {
  readonly variables?: Record<string, unknown>;
  readonly key?: Credential | null;
  /** Identity of the gateway's request: operations that have it in common share loaders. */
  readonly request?: object;
}

export type Bench = Awaited<ReturnType<typeof startBench>>;

export interface BenchOptions extends Pick<ListenOptions, 'era'> {
  readonly applyPath?: string;
}

/** The subgraph over the real toolkit over real HTTP to the sandbox. */
export async function startBench(world: World, { applyPath = '/job/v1/apply', ...listen }: BenchOptions = {}) {
  const service = await startWorkStudy({ world, ...listen });
  const drifts: string[] = [];
  const said = createSaid();
  const log = (_fields: object, message: string) => said.note(message);
  const upstream = createUpstream(
    {
      service: 'work-study',
      baseUrl: service.url,
      mode: 'sandbox',
      operatorKey: keyOf(workStudyKeys.operator),
      dialect: workStudyDialect,
      onCall: () => {},
      onDrift: (_service, place) => drifts.push(place),
    },
    createSystemPorts({ shared: null, perKey: null, redis: null }),
  );
  const subgraph = createWorkStudySubgraph({
    upstream,
    applyPath,
    cacheFolder: null,
    clock: systemClock,
    log: { debug: log, info: log, warn: log, error: log },
  });
  return {
    service,
    subgraph,
    drifts,
    /** Resolves when the log has said it, or at once when it already has. */
    said: said.wait,
    ask: (source: string, asking: Asking = {}) => ask(subgraph, source, asking),
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}

/**
 * A bench that all tests of a file share. Each test begins with an empty list of calls, but with what was kept before:
 * tests that count calls ask for something that no other asks for, or take a `fresh` one.
 */
export function sharedBench(world: World = village()): Pick<Bench, 'ask' | 'service' | 'drifts'> {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = await startBench(world);
  });
  beforeEach(() => bench?.service.clearCalls());
  afterAll(() => bench?.close());
  const started = () => {
    if (bench === undefined) throw new Error('the bench is started before the first test');
    return bench;
  };
  return {
    ask: (source, asking) => started().ask(source, asking),
    get service() {
      return started().service;
    },
    get drifts() {
      return started().drifts;
    },
  };
}

/** Runs on a bench of its own, where nothing is kept from another test. */
export async function fresh<T>(
  run: (bench: Bench) => Promise<T>,
  world: World = village(),
  options: BenchOptions = {},
): Promise<T> {
  const bench = await startBench(world, options);
  try {
    return await run(bench);
  } finally {
    await bench.close();
  }
}

/** What a log said, for tests that wait for something to happen in the background. */
function createSaid() {
  const past = new Set<string>();
  const waiting = new Map<string, () => void>();
  return {
    note(message: string) {
      past.add(message);
      waiting.get(message)?.();
    },
    wait: (message: string) =>
      past.has(message) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(message, resolve)),
  };
}

export function keyOf(secret: string): Credential {
  return { fingerprint: `fingerprint of ${secret.length} ${secret.slice(-9)}`, reveal: () => secret };
}

/** Callers that the sandbox knows. */
export const alice = keyOf(workStudyKeys.alice);
export const bob = keyOf(workStudyKeys.bob);

function operationFor({ key = null, request = {} }: Asking): OperationContext {
  return {
    requestId: 'test',
    request,
    deadline: { remainingMs: () => 20_000 },
    signal: new AbortController().signal,
    credential: key,
    internal: false,
    planNode: '',
    ledger: { elapsedMs: () => 0, record: () => {} },
  };
}

async function ask(subgraph: Subgraph, source: string, asking: Asking): Promise<Answered> {
  const { data, errors = [] } = await execute({
    schema: subgraph.schema,
    document: parse(source),
    contextValue: subgraph.contextFor(operationFor(asking)),
    variableValues: asking.variables ?? {},
  });
  return {
    data,
    errors: errors.map(({ extensions, path = [] }) => `${extensions['code']} ${path.join('.')}`),
    messages: errors.map(({ message }) => message),
  };
}
