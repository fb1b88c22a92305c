import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/kit/types.js';
import type { ErrorCode } from '../../schema/errors.js';
import { SERVICES, type ServiceName } from '../../schema/services.js';
import { askAll, expectFailed, expectNothingTold, serviceOf } from './support/question.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** What a fault makes of the one field that asks its service, and how many calls reach the service. */
interface Expected {
  readonly code: ErrorCode;
  readonly calls: Readonly<Record<ServiceName, number>>;
}

const ONCE = { 'work-study': 1, volunteering: 1, 'waste-identity': 1 };
/** What a moment may mend is tried a second time, but the platform is asked with POST. */
const READS_TWICE = { 'work-study': 2, volunteering: 2, 'waste-identity': 1 };
const UNAVAILABLE: Expected = { code: 'UPSTREAM_UNAVAILABLE', calls: ONCE };
const UNAVAILABLE_TWICE: Expected = { code: 'UPSTREAM_UNAVAILABLE', calls: READS_TWICE };
const UNREADABLE: Expected = { code: 'UPSTREAM_INVALID_RESPONSE', calls: ONCE };
/** More than the 64 MB that a body may have (DESIGN 6). */
const TOO_MANY_BYTES = 65 * 1024 * 1024;

/** Faults of whole answers, whatever the service. Refusals of the quota have a file of their own. */
const FAULTS: readonly [name: string, fault: Fault, expected: Expected][] = [
  ['500', { kind: 'status', status: 500 }, UNAVAILABLE],
  ['503', { kind: 'status' }, UNAVAILABLE_TWICE],
  ['504', { kind: 'status', status: 504 }, { code: 'UPSTREAM_TIMEOUT', calls: READS_TWICE }],
  ["a proxy's 502, a page of HTML", { kind: 'html' }, UNAVAILABLE_TWICE],
  ['a page of HTML that says 200', { kind: 'html', status: 200 }, UNREADABLE],
  ["a proxy's 404, a page of HTML", { kind: 'html-404' }, UNAVAILABLE],
  ['a body that is cut', { kind: 'cut' }, UNAVAILABLE_TWICE],
  ['a reset in the middle of the body', { kind: 'reset-mid-body' }, UNAVAILABLE_TWICE],
  ['a body that is shorter than announced', { kind: 'wrong-length' }, UNAVAILABLE_TWICE],
  ['a connection that is closed without an answer', { kind: 'drop' }, UNAVAILABLE_TWICE],
  ['a connection that is reset without an answer', { kind: 'reset' }, UNAVAILABLE_TWICE],
  ['a redirect', { kind: 'redirect' }, UNREADABLE],
  ['a body that is too large', { kind: 'big-body', bytes: TOO_MANY_BYTES }, UNREADABLE],
  ['a zipped body that is too large', { kind: 'gzip-bomb', bytes: TOO_MANY_BYTES }, UNREADABLE],
];

/** Faults that only the end of the request's time ends. */
const SILENCES: readonly [name: string, fault: Fault][] = [
  ['accepts the call and says nothing', { kind: 'silent' }],
  ['answers when nobody waits any longer', { kind: 'latency', ms: 20_000 }],
  ['drips a byte at a time', { kind: 'drip', ms: 300 }],
];
/** What a request may take where it must wait for its end. */
const SHORT_DEADLINE_MS = 1000;

let replicas: Replicas;
let replica: Replica;

/** One service is spoilt while all three are asked; the fault ends with the answer. */
async function askWith(service: ServiceName, fault: Fault) {
  const spoilt = serviceOf(replicas.sandbox, service);
  const end = spoilt.fault(fault);
  spoilt.clearCalls();
  const answer = await askAll(replica, replicas.sandbox, SERVICES.indexOf(service));
  end();
  return { answer, calls: [...spoilt.calls] };
}

// What a service did before counts, in its breaker and its budget for second tries: each fault meets a process of its own.
function openForEachFault(env: Record<string, string> = {}): void {
  beforeAll(async () => {
    replicas = await openReplicas({ CACHE_DIR: 'off', ...env });
    replica = await replicas.open();
  });
  afterAll(() => replicas.close());
}

describe.each(FAULTS)('A service answers with %s', (_name, fault, expected) => {
  openForEachFault();

  test.each(SERVICES)('%s: its field fails with code and path, the rest stands', async (service) => {
    const { answer, calls } = await askWith(service, fault);
    expectFailed(answer, [service], expected.code);
    expect(calls).toHaveLength(expected.calls[service]);
    expectNothingTold(answer, replica, replicas.sandbox);
  });
});

describe.each(SILENCES)('A service %s', (_name, fault) => {
  openForEachFault({ REQUEST_DEADLINE_MS: String(SHORT_DEADLINE_MS) });

  test.each(SERVICES)('%s: its field fails in time, the call is broken off, the rest stands', async (service) => {
    const { answer, calls } = await askWith(service, fault);
    expectFailed(answer, [service], 'DEADLINE_EXCEEDED');
    expect(calls).toHaveLength(1);
    const broken = await serviceOf(replicas.sandbox, service).seen(({ aborted }) => aborted);
    expect(broken.url).toBe(calls[0]?.url);
    expectNothingTold(answer, replica, replicas.sandbox);
  });
});

describe('A service refuses connections', () => {
  openForEachFault();

  test.each(SERVICES)('%s: its field fails, the rest stands, and it answers again when it is back', async (service) => {
    const away = serviceOf(replicas.sandbox, service);
    await away.stopListening();
    const answer = await askAll(replica, replicas.sandbox, SERVICES.indexOf(service));
    await away.startListening();
    expectFailed(answer, [service], 'UPSTREAM_UNAVAILABLE');
    expectNothingTold(answer, replica, replicas.sandbox);
    const { errors } = await askAll(replica, replicas.sandbox, SERVICES.indexOf(service));
    expect(errors).toEqual([]);
  });
});

describe('A service that is slow, but not too slow', () => {
  openForEachFault();

  test.each(SERVICES)('%s: is waited for; pieces of a body are put together', async (service) => {
    const spoilt = serviceOf(replicas.sandbox, service);
    spoilt.fault({ kind: 'latency', ms: 150 });
    const { answer, calls } = await askWith(service, { kind: 'drip', ms: 1, bytes: 200 });
    spoilt.clearFaults();
    expect(answer.errors).toEqual([]);
    expect(calls).toHaveLength(1);
  });
});

describe('A fault that lasts a moment', () => {
  openForEachFault();

  test.each(['work-study', 'volunteering'] as const)(
    '%s: the second try is answered, and nobody hears of it',
    async (service) => {
      const { answer, calls } = await askWith(service, { kind: 'drop', times: 1 });
      expect(answer.errors).toEqual([]);
      expect(calls.map(({ status }) => status)).toEqual([null, 200]);
      const [row] = answer.trace?.calls.filter((call) => call.service === service) ?? [];
      expect(row).toMatchObject({ retries: 1, sent: 2 });
    },
  );
});
