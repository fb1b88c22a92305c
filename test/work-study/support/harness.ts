import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ListenOptions } from '../../../sandbox/server/service.js';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { startWorkStudy } from '../../../sandbox/work-study/index.js';
import type { World } from '../../../sandbox/world/types.js';
import { createSystemPorts, systemClock } from '../../../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../../../subgraphs/rest/stages/create-upstream.js';
import type { UpstreamService } from '../../../subgraphs/rest/upstream.js';
import { workStudyDialect } from '../../../subgraphs/work-study/dialect.js';
import { createWorkStudySubgraph } from '../../../subgraphs/work-study/index.js';
import { executeOn, keyOf, type SendOptions } from '../../subgraph-harness.js';
import { tinyWorld } from './tiny-world.js';

export type Harness = Awaited<ReturnType<typeof startHarness>>;

export interface HarnessOptions extends Pick<ListenOptions, 'era'> {
  /** In place of the download of files from the sandbox. */
  readonly download?: UpstreamService['download'];
}

/** The subgraph with the real toolkit, over HTTP to the sandbox. */
export async function startHarness(world: World, { download, ...listen }: HarnessOptions = {}) {
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
    createSystemPorts({ shared: null, perKey: null, versions: null, redis: null }),
  );
  const subgraph = createWorkStudySubgraph({
    upstream: download === undefined ? upstream : { ...upstream, download },
    cacheFolder: null,
    // Some tests serve a file of their own.
    exportPlaces: { baseUrl: service.url, hosts: ['127.0.0.1'] },
    clock: systemClock,
    log: { debug: log, info: log, warn: log, error: log },
  });
  return {
    service,
    subgraph,
    drifts,
    /** Resolves once this message has been logged, at once if it already has. */
    said: said.wait,
    send: (source: string, sendOptions: SendOptions = {}) => executeOn(subgraph, source, sendOptions),
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}

/**
 * A harness shared by all tests of a file. Each test starts with an empty list of calls, but with the cache of the
 * tests before it: tests that count calls request something that no other requests, or use a `fresh` harness.
 */
export function sharedHarness(world: World = tinyWorld()): Pick<Harness, 'send' | 'service' | 'drifts'> {
  let harness: Harness | undefined;
  beforeAll(async () => {
    harness = await startHarness(world);
  });
  beforeEach(() => harness?.service.clearCalls());
  afterAll(() => harness?.close());
  const started = () => {
    if (harness === undefined) throw new Error('the harness is started before the first test');
    return harness;
  };
  return {
    send: (source, sendOptions) => started().send(source, sendOptions),
    get service() {
      return started().service;
    },
    get drifts() {
      return started().drifts;
    },
  };
}

/** Runs on its own harness, where nothing is cached from other tests. */
export async function fresh<T>(
  run: (harness: Harness) => Promise<T>,
  world: World = tinyWorld(),
  options: HarnessOptions = {},
): Promise<T> {
  const harness = await startHarness(world, options);
  try {
    return await run(harness);
  } finally {
    await harness.close();
  }
}

/** The messages of a log, for tests that wait for something to happen in the background. */
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

/** Callers that the sandbox knows. */
export const alice = keyOf(workStudyKeys.alice);
export const bob = keyOf(workStudyKeys.bob);
