import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ErrorCode } from '../../kernel/errors.js';
import { fromEachService, SERVICES, type ServiceName } from '../../kernel/services.js';
import { FAULT_KINDS, type Fault, type FaultKind } from '../../sandbox/server/types.js';
import type { StackResponse } from '../scenarios/stack.js';
import { expectFailed, expectNothingReported, sendAll } from './support/all-services.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** A fault, the code that it gives the one field that needs the service, and how many calls reach the service. */
interface Scenario {
  readonly name: string;
  readonly fault: Fault;
  /** Null if nothing is reported. */
  readonly code: ErrorCode | null;
  readonly calls: Readonly<Record<ServiceName, number>>;
}

const ONCE = fromEachService<number>(() => 1);
/** Transient failures are retried once. */
const TWICE = fromEachService<number>(() => 2);
/** Above the limit of 64 MB for a body. */
const TOO_MANY_BYTES = 65 * 1024 * 1024;
/** Above the 16 kB that HTTP clients read of a response's head. */
const LONG_HEADER = { 'x-padding': 'x'.repeat(17 * 1024) };

const well = (name: string, fault: Fault): Scenario => ({ name, fault, code: null, calls: ONCE });
const unreadable = (name: string, fault: Fault): Scenario => ({
  name,
  fault,
  code: 'UPSTREAM_INVALID_RESPONSE',
  calls: ONCE,
});
const unavailable = (name: string, fault: Fault, calls = TWICE): Scenario => ({
  name,
  fault,
  code: 'UPSTREAM_UNAVAILABLE',
  calls,
});

const SCENARIOS: readonly Scenario[] = [
  unavailable('a 500', { kind: 'status', status: 500 }, ONCE),
  unavailable('a 502', { kind: 'status', status: 502 }),
  unavailable('a 503', { kind: 'status', status: 503 }),
  { name: 'a 504', fault: { kind: 'status', status: 504 }, code: 'UPSTREAM_TIMEOUT', calls: TWICE },
  unreadable('a 204, where something must come', { kind: 'status', status: 204 }),
  unreadable('a 304 that nobody asked for', { kind: 'status', status: 304 }),
  unreadable('a redirect', { kind: 'redirect' }),
  unavailable("a proxy's 502, a page of HTML", { kind: 'html' }),
  unreadable('a page of HTML that says 200', { kind: 'html', status: 200 }),
  unavailable("a proxy's 401, a page of HTML", { kind: 'html', status: 401 }, ONCE),
  unavailable("a proxy's 404, a page of HTML", { kind: 'html-404' }, ONCE),
  unavailable("an API gateway's 404, in JSON", { kind: 'json-404' }, ONCE),
  unavailable('a connection that is closed without an answer', { kind: 'drop' }),
  unavailable('a connection that is reset without an answer', { kind: 'reset' }),
  unavailable('a body that is cut', { kind: 'cut' }),
  unavailable('a reset in the middle of the body', { kind: 'reset-mid-body' }),
  unavailable('a body that is shorter than announced', { kind: 'wrong-length' }),
  unreadable('a body that is longer than announced', { kind: 'wrong-length', bytes: -5 }),
  unreadable('JSON of another type', { kind: 'wrong-type', change: () => 'fine' }),
  unreadable('a head that is too large', { kind: 'headers', headers: LONG_HEADER }),
  unreadable('a body that is too large', { kind: 'big-body', bytes: TOO_MANY_BYTES }),
  // On the wire alone, both are in test/rest/wire.test.ts.
  unreadable('a zipped body that is too large', { kind: 'gzip-bomb', bytes: TOO_MANY_BYTES }),
  well('what comes late', { kind: 'latency', ms: 50 }),
  well('what comes in slices', { kind: 'drip', ms: 0, bytes: 7 }),
  well('what comes over a narrow line', { kind: 'drip', ms: 1, bytes: 100 }),
  well('a body that ends with the connection, after a pause', { kind: 'slow-close', ms: 20 }),
];

/** Faults that only the request's deadline ends. */
const SILENCES: readonly [name: string, fault: Fault][] = [
  ['takes the call and says nothing', { kind: 'silent' }],
  ['answers when nobody waits any longer', { kind: 'latency', ms: 20_000 }],
  ['drips a byte at a time', { kind: 'drip', ms: 300 }],
  ['never closes the connection that ends its body', { kind: 'slow-close', ms: 20_000 }],
];
/** The deadline of requests that must reach it, on an idle machine. */
const SHORT_DEADLINE_MS = 1000;
/**
 * On a slower machine, the deadline as a multiple of the first query's time, planning included: all but the silent
 * service answer within it.
 */
const TIMES_FIRST = 4;
/** Shorter than the time limit of an attempt, which would otherwise end a silent call before the deadline does. */
const LONGEST_DEADLINE_MS = 9000;

/** Kinds whose scenarios have a test of their own, below, in `refusals.test.ts` or in `doubtful-key.test.ts`. */
const ELSEWHERE: readonly FaultKind[] = ['idle-close', 'key-database', 'rate-limit', 'proxy-rate-limit'];

test('every fault that the sandbox can play has its scenario', () => {
  const played = [...SCENARIOS.map(({ fault }) => fault), ...SILENCES.map(([, fault]) => fault)].map(
    ({ kind }) => kind,
  );
  expect(new Set([...played, ...ELSEWHERE])).toEqual(new Set(Object.keys(FAULT_KINDS)));
});

/** A process with its own sandbox; each query to it is new. */
interface Process {
  readonly replicas: Replicas;
  readonly replica: Replica;
  send(): Promise<StackResponse>;
}

async function openProcess(env: Record<string, string> = {}): Promise<Process> {
  const replicas = await openReplicas({ CACHE_DIR: 'off', ...env });
  const replica = await replicas.open();
  let operations = 0;
  const send = () => {
    operations += 1;
    return sendAll(replica, replicas.sandbox, operations);
  };
  return { replicas, replica, send };
}

/** Spoils one service during a query to all three. */
async function sendWith({ replicas, send }: Process, service: ServiceName, fault: Fault) {
  const spoilt = replicas.sandbox.serviceOf(service);
  spoilt.clearCalls();
  const end = spoilt.fault(fault);
  const response = await send();
  end();
  return { response, calls: [...spoilt.calls] };
}

// The wait before a retry is random; here it is always the shortest.
beforeAll(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Scenarios with retries that one process takes: it may retry three times before its budget is spent. */
const RETRIES = 3;
/** Scenarios without retries that one process takes: two queries for each service, below a key's sixty searches a minute. */
const WITHOUT_RETRIES = Math.floor(50 / (2 * SERVICES.length));

/** Seconds of work each, and the same limit whichever service sends them. */
const servicesOf = ({ fault }: Scenario) =>
  'bytes' in fault && fault.bytes === TOO_MANY_BYTES ? SERVICES.slice(0, 1) : SERVICES;

const isRetried = ({ calls }: Scenario) => calls === TWICE;

// Each of these groups of faults meets the same process.
describe.each([
  ...inGroups(SCENARIOS.filter(isRetried), RETRIES),
  ...inGroups(
    SCENARIOS.filter((scenario) => !isRetried(scenario)),
    WITHOUT_RETRIES,
  ),
])('One process, one service spoilt at a time', (...scenarios) => {
  let process: Process;
  beforeAll(async () => {
    process = await openProcess();
  });
  afterAll(() => process.replicas.close());

  test.each(
    scenarios.flatMap((scenario) => servicesOf(scenario).map((service) => [service, scenario.name, scenario] as const)),
  )(
    '%s sends %s: its field says so at its path where it must, the rest stands, and all is well afterwards',
    async (service, _name, { fault, code, calls }) => {
      const { replica, replicas } = process;
      const seen = await sendWith(process, service, fault);
      expectFailed(seen.response, code === null ? [] : [service], code ?? '');
      expect(seen.calls).toHaveLength(calls[service]);
      expectNothingReported(seen.response, replica, replicas.sandbox);
      expect((await process.send()).errors).toEqual([]);
    },
  );
});

/** The scenarios in groups of at most `size`, each group as the arguments of one call. */
function inGroups(scenarios: readonly Scenario[], size: number): Scenario[][] {
  return scenarios.flatMap((_, at) => (at % size === 0 ? [scenarios.slice(at, at + size)] : []));
}

/** A deadline for this machine at this moment: long enough for every service but the silent one. */
async function calibratedDeadlineMs(): Promise<number> {
  const { replicas, send } = await openProcess();
  const startedMs = performance.now();
  await send();
  const firstMs = performance.now() - startedMs;
  await replicas.close();
  return Math.round(Math.min(LONGEST_DEADLINE_MS, Math.max(SHORT_DEADLINE_MS, TIMES_FIRST * firstMs)));
}

describe('Three processes, so that they wait side by side', () => {
  let worlds: ReadonlyMap<ServiceName, Process>;
  beforeAll(async () => {
    const env = { REQUEST_DEADLINE_MS: String(await calibratedDeadlineMs()) };
    worlds = new Map(await Promise.all(SERVICES.map(async (service) => [service, await openProcess(env)] as const)));
    await Promise.all([...worlds.values()].map(({ send }) => send()));
  });
  afterAll(() => Promise.all([...worlds.values()].map(({ replicas }) => replicas.close())));

  describe.each(SILENCES)('A service %s', (_name, fault) => {
    test.concurrent.each(SERVICES)(
      '%s: its field fails in time, the call is broken off, the rest stands',
      async (service) => {
        const process = worlds.get(service)!;
        const { response, calls } = await sendWith(process, service, fault);
        expectFailed(response, [service], 'DEADLINE_EXCEEDED');
        expect(calls).toHaveLength(1);
        const { sandbox } = process.replicas;
        const broken = await sandbox.serviceOf(service).seen(({ aborted }) => aborted);
        expect(broken.url).toBe(calls[0]?.url);
        expectNothingReported(response, process.replica, sandbox);
      },
    );
  });
});

describe('A process', () => {
  let process: Process;
  beforeAll(async () => {
    process = await openProcess();
  });
  afterAll(() => process.replicas.close());

  test('whose service refuses connections: its field fails, the rest stands, and it answers again when it is back', async () => {
    const { replica, replicas, send } = process;
    for (const service of SERVICES) {
      const away = replicas.sandbox.serviceOf(service);
      await away.stopListening();
      const response = await send();
      await away.startListening();
      expectFailed(response, [service], 'UPSTREAM_UNAVAILABLE');
      expectNothingReported(response, replica, replicas.sandbox);
      expect((await send()).errors).toEqual([]);
    }
  });

  test('tries a second time what fails for a moment, and nobody hears of it', async () => {
    for (const service of ['work-study', 'volunteering'] as const) {
      const { response, calls } = await sendWith(process, service, { kind: 'drop', times: 1 });
      expect(response.errors).toEqual([]);
      expect(calls.map(({ status }) => status)).toEqual([null, 200]);
      const [row] = response.trace?.calls.filter((call) => call.service === service) ?? [];
      expect(row).toMatchObject({ retries: 1, sent: 2 });
    }
  });

  test.each(SERVICES)(
    'whose idle connection closes as a call leaves on it: a read of %s is sent again, also if it is a POST',
    async (service) => {
      expect((await process.send()).errors).toEqual([]);
      const { response, calls } = await sendWith(process, service, { kind: 'idle-close' });
      expect(response.errors).toEqual([]);
      expect(calls.map(({ status }) => status)).toEqual([null, 200]);
      expect((await process.send()).errors).toEqual([]);
    },
  );
});
