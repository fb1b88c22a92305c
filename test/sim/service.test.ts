import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault, SandboxService } from '../../sandbox/server/types.js';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { workStudyKeys } from '../../sandbox/work-study/http/callers.js';
import { startWorkStudy, type WorkStudyService } from '../../sandbox/work-study/index.js';
import {
  createUndiciTransport,
  type Transport,
  TransportFailure,
  type WireResponse,
} from '../../subgraphs/rest/ports/transport.js';
import { createChance } from '../chance.js';
import { mission, organization, world } from '../sandbox/volunteering/small-world.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';
import { EPOCH_MS } from './epoch.js';
import { createScheduler } from './scheduler.js';
import { createService } from './service.js';
import { createWire } from './wire.js';
import { drawWorld, type FaultKind, type ServiceTraits } from './world.js';

/**
 * One table of responses for both the sandbox and the model of it that simulations use, so that the model cannot drift
 * away from the service that everything else is tested with.
 */
interface Step {
  /** Seconds since the start. */
  readonly at: number;
  readonly key: string;
  readonly path: string;
  readonly wrong?: FaultKind;
  readonly response: string;
}

const { alice, bob } = volunteeringKeys;
const MISSION = '/v0/mission';

/**
 * Four calls a minute. Each response: status and kind of body; limit, calls left, seconds until the reset and to wait.
 */
const VOLUNTEERING: readonly Step[] = [
  { at: 0.5, key: alice, path: MISSION, response: '200 json limit 4 left 3 reset 61' },
  { at: 4.5, key: alice, path: MISSION, response: '200 json limit 4 left 2 reset 57' },
  { at: 8.5, key: alice, path: '/v0/organization', response: '200 json limit 4 left 1 reset 53' },
  { at: 12.5, key: bob, path: MISSION, response: '200 json limit 4 left 3 reset 61' },
  { at: 16.5, key: alice, path: MISSION, wrong: '500', response: '500 json' },
  { at: 20.5, key: alice, path: MISSION, wrong: '503', response: '503 json wait 2' },
  { at: 24.5, key: alice, path: MISSION, wrong: 'html', response: '502 html' },
  { at: 28.5, key: alice, path: MISSION, wrong: 'html-404', response: '404 html' },
  { at: 30.5, key: alice, path: MISSION, wrong: 'json-404', response: '404 json' },
  { at: 32.5, key: alice, path: MISSION, wrong: 'reset', response: 'reset' },
  { at: 36.5, key: alice, path: MISSION, wrong: 'silent', response: 'aborted' },
  { at: 40.5, key: alice, path: MISSION, wrong: 'refused', response: 'refused' },
  { at: 44.5, key: alice, path: MISSION, wrong: 'cut', response: 'cut' },
  { at: 48.8, key: alice, path: MISSION, response: '429 json limit 4 left 0 reset 13 wait 12' },
  { at: 59.8, key: alice, path: MISSION, response: '429 json limit 4 left 0 reset 2 wait 1' },
  { at: 64.2, key: alice, path: MISSION, response: '200 json limit 4 left 3 reset 61' },
  { at: 68.2, key: alice, path: MISSION, wrong: 'slow', response: '200 json limit 4 left 2 reset 57' },
  { at: 84.2, key: alice, path: MISSION, response: '200 json limit 4 left 1 reset 41' },
];

const EXPORT = '/job/v1/export';

/** Two calls a minute, reported in seconds. */
const WORK_STUDY: readonly Step[] = [
  { at: 0.5, key: workStudyKeys.alice, path: EXPORT, response: '200 json limit 2 left 1 reset 60' },
  { at: 10.8, key: workStudyKeys.alice, path: EXPORT, response: '200 json limit 2 left 0 reset 50' },
  { at: 20.8, key: workStudyKeys.alice, path: EXPORT, response: '429 json limit 2 left 0 reset 40 wait 40' },
  { at: 30.8, key: workStudyKeys.alice, path: EXPORT, wrong: 'key-database', response: '401 json' },
  { at: 61.8, key: workStudyKeys.alice, path: EXPORT, response: '200 json limit 2 left 1 reset 60' },
];

/** An environment in which a table is played. */
interface Bench {
  readonly transport: Transport;
  readonly url: string;
  /** How a key is sent. */
  headers(key: string): Record<string, string>;
  /** Advances time to this many milliseconds since the start, and causes the step's fault. */
  prepare(step: Step): Promise<void>;
  /** Waits until a call that will get no response has arrived. */
  arrived(): Promise<void>;
  /** Advances time until the call has ended. */
  pass<T>(call: Promise<T>): Promise<T>;
}

async function play(steps: readonly Step[], bench: Bench): Promise<string[]> {
  const responses: string[] = [];
  for (const step of steps) {
    await bench.prepare(step);
    const controller = new AbortController();
    const url = new URL(bench.url + step.path);
    const request = { method: 'GET', url, headers: bench.headers(step.key), maxBytes: 1e6 };
    const call = bench.transport.send(request, controller.signal).then(
      (response) => reported(response, step.at),
      (error: unknown) => (error instanceof TransportFailure ? error.kind : String(error)),
    );
    if (step.wrong === 'silent') {
      await bench.arrived();
      controller.abort();
    }
    responses.push(await bench.pass(call));
  }
  return responses;
}

/** A response in the notation of the table. Epoch seconds are relative to the time of the request. */
function reported({ status, headers }: WireResponse, atSeconds: number): string {
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
  const epoch = EPOCH_MS / 1000 + Math.floor(atSeconds);
  const seconds = Number(reset) > 1e9 ? Number(reset) - epoch : Number(reset);
  const quota = limit === undefined ? '' : ` limit ${limit} left ${left} reset ${seconds}`;
  const wait = headers['retry-after'] === undefined ? '' : ` wait ${headers['retry-after']}`;
  return `${status} ${headers['content-type']?.includes('json') === true ? 'json' : 'html'}${quota}${wait}`;
}

/** The sandbox's faults for each fault of a simulated world. */
const FAULTS: Partial<Record<FaultKind, readonly Fault[]>> = {
  '500': [{ kind: 'status', status: 500, times: 1 }],
  '503': [
    { kind: 'status', status: 503, times: 1 },
    { kind: 'headers', headers: { 'retry-after': '2' }, times: 1 },
  ],
  html: [{ kind: 'html', times: 1 }],
  'html-404': [{ kind: 'html-404', times: 1 }],
  'json-404': [{ kind: 'json-404', times: 1 }],
  'key-database': [{ kind: 'key-database', times: 1 }],
  reset: [{ kind: 'reset', times: 1 }],
  silent: [{ kind: 'silent', times: 1 }],
  cut: [{ kind: 'cut', times: 1 }],
  slow: [{ kind: 'latency', ms: 20, times: 1 }],
};

const transport = createUndiciTransport({ connections: 1 });
afterAll(() => transport.close());

function onSandbox(service: SandboxService, headers: Bench['headers']): Bench {
  let stopped = false;
  return {
    ...{ transport, headers, url: service.url },
    async prepare({ at, wrong }) {
      service.advance(EPOCH_MS + at * 1000 - service.now());
      if (stopped) await service.startListening();
      stopped = wrong === 'refused';
      if (stopped) await service.stopListening();
      service.clearCalls();
      for (const fault of (wrong !== undefined && FAULTS[wrong]) || []) service.fault(fault);
    },
    arrived: async () => void (await service.seen(() => true)),
    pass: (call) => call,
  };
}

/** Longer than the slowest response of a world without faults. */
const TRIP_MS = 3_500;
const SLOW_MS = 15_500;

/** A model with only what the table needs. */
function modelOf(steps: readonly Step[], traits: Partial<ServiceTraits>) {
  const scheduler = createScheduler();
  const chance = createChance(1);
  const drawn = drawWorld(chance);
  const plain = {
    processes: 1,
    slackMs: 0,
    rounding: 'ceil',
    missing: 0,
    skewMs: 0,
    stranger: 0,
    latencyMs: 5,
  } as const;
  const outages = steps.flatMap(({ at, wrong }) =>
    wrong === undefined ? [] : [{ kind: wrong, atMs: at * 1000 - 1, forMs: 1_000, group: 0, share: 1 }],
  );
  const service = { ...drawn.service, ...plain, countsFailures: false, proxy: false, ...traits };
  return { scheduler, chance, service: createService({ ...drawn, outages, service }, scheduler, chance) };
}

function onModel(steps: readonly Step[], traits: Partial<ServiceTraits>): Bench {
  const { scheduler, chance, service } = modelOf(steps, traits);
  const process = { name: 'the test', alive: true, pausedUntilMs: 0 };
  const watch = { sent: () => {}, ended: () => {}, refused: () => {} };
  const wallMs = () => EPOCH_MS + scheduler.nowMs;
  let ms = TRIP_MS;
  return {
    transport: createWire({ process, scheduler, chance, service, latencyMs: 5, wallMs, watch }),
    url: 'http://service.test',
    headers: (key) => ({ 'x-api-key': key }),
    prepare: ({ at, wrong }) => {
      ms = wrong === 'slow' ? SLOW_MS : TRIP_MS;
      return scheduler.runUntil(at * 1000);
    },
    arrived: () => scheduler.runUntil(scheduler.nowMs + 100),
    async pass(call) {
      await scheduler.runUntil(scheduler.nowMs + ms);
      return call;
    },
  };
}

const responsesOf = (steps: readonly Step[]) => steps.map(({ response }) => response);

describe('one table of answers', () => {
  let volunteering: VolunteeringService;
  let workStudy: WorkStudyService;
  const now = () => EPOCH_MS;
  beforeAll(async () => {
    const records = { missions: [mission('one')], organizations: [organization('one')] };
    volunteering = await startVolunteering({ world: world(records), now });
    volunteering.callsPerMinute = 4;
    workStudy = await startWorkStudy({ world: tinyWorld(), now });
  });
  afterAll(() => Promise.all([volunteering.close(), workStudy.close()]));

  it('holds for the volunteering service of the sandbox', async () => {
    const bench = onSandbox(volunteering, (key) => ({ 'x-api-key': key }));
    expect(await play(VOLUNTEERING, bench)).toEqual(responsesOf(VOLUNTEERING));
  });

  it('holds for the model, which reports the epoch', async () => {
    const bench = onModel(VOLUNTEERING, { limit: 4, reset: 'epoch' });
    expect(await play(VOLUNTEERING, bench)).toEqual(responsesOf(VOLUNTEERING));
  });

  it('holds for the work-study service of the sandbox', async () => {
    const bench = onSandbox(workStudy, (key) => ({ authorization: `Bearer ${key}` }));
    expect(await play(WORK_STUDY, bench)).toEqual(responsesOf(WORK_STUDY));
  });

  it('holds for the model, which reports seconds', async () => {
    const bench = onModel(WORK_STUDY, { limit: 2, reset: 'seconds' });
    expect(await play(WORK_STUDY, bench)).toEqual(responsesOf(WORK_STUDY));
  });

  it('lets as many calls at once pass the proxy', async () => {
    const AT_ONCE = 101;
    workStudy.limitAtProxy(true);
    const step = { at: 100, key: '', path: '/healthcheck', response: '' };
    const bench = onSandbox(workStudy, () => ({}));
    const real = await play(Array(AT_ONCE + 1).fill(step), bench);
    const { service } = modelOf([], { limit: 1000, proxy: true });
    const played = real.map(() => service.receive({ key: '', path: step.path, wrong: null }).response);
    expect(real.slice(0, AT_ONCE)).toEqual(Array(AT_ONCE).fill('200 json'));
    expect(real[AT_ONCE]).toBe('429 html');
    expect(played.slice(0, AT_ONCE).every(({ status }) => status === 200)).toBe(true);
    expect(reported({ ...played[AT_ONCE]!, body: Buffer.alloc(0) }, 0)).toBe('429 html');
  });
});
