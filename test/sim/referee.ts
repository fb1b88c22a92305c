import { type BreakerWatch, watchBreaker } from './breaker-watch.js';
import { type ClientCall, isFor, keyOf } from './callers.js';
import { faultsOf } from './ended-call.js';
import { watchQuota } from './quota-watch.js';
import type { Replica } from './replica.js';
import type { Process, Scheduler } from './scheduler.js';
import type { RefusedCall, Service } from './service.js';
import { GROUPS, type Sending } from './wire.js';
import type { World } from './world.js';

/** A broken promise, and when it was broken. */
export interface Violation {
  readonly rule: string;
  readonly atMs: number;
  readonly detail: string;
}

/** Watches a simulated world and records every broken safety property. */
export interface Referee {
  readonly violations: readonly Violation[];
  broken(rule: string, detail: string): void;
  sent(sending: Sending): void;
  ended(sending: Sending): void;
  refused(sending: Sending, refused: RefusedCall): void;
  started(call: ClientCall): void;
  finished(call: ClientCall): void;
  /** When calls of a key ended, on any replica. */
  landings(key: string): readonly number[];
  /** Calls of a replica that are still on the wire. */
  inFlight(replica: Replica): number;
  /** Calls whose callers still wait for a replica. */
  waiting(replica: Replica): number;
}

/** A caller whose call could be sent but is not for this long has been passed over. */
const PASSED_OVER_MS = 300;

/** That a key is at fault. */
const REFUSALS: ReadonlySet<string> = new Set(['CREDENTIALS_REJECTED', 'SOURCE_OFF']);

export function createReferee(
  world: World,
  { scheduler, service }: { scheduler: Scheduler; service: Service },
): Referee {
  const violations: Violation[] = [];
  const watches = new Map<Process, ReturnType<typeof watchReplica>>();
  const quota = watchQuota(world, { scheduler, service });
  const open = new Set<ClientCall>();
  const flying = new Set<Sending>();
  const writes = new Set<string>();
  const startedByCallers = new Set<string>();
  /** Keys that the service has accepted from a process, which another one after a restart does not know. */
  const accepted = new WeakMap<Process, Set<string>>();

  function broken(rule: string, detail: string): void {
    scheduler.note(`BROKEN ${rule}: ${detail}`);
    violations.push({ rule, atMs: scheduler.nowMs, detail });
  }

  function watchesOf(process: Process) {
    const known = watches.get(process) ?? watchReplica(scheduler);
    watches.set(process, known);
    return known;
  }

  function acceptedBy(process: Process): Set<string> {
    const known = accepted.get(process) ?? new Set();
    accepted.set(process, known);
    return known;
  }

  /** Checks that callers go before background work. */
  function checkTurns(sending: Sending, callers: readonly ClientCall[], breakers: readonly BreakerWatch[]): void {
    const background = callers.find(({ kind }) => kind === 'background');
    // A call that a caller started keeps its class, even if only background work still waits for it.
    if (background === undefined || startedByCallers.has(nameOf(background))) return;
    const person = [...open].find(
      ({ kind, key, group, replica, startMs, deadlineMs, sentMs }) =>
        kind !== 'background' &&
        // Of those whose time is over at this moment, each is told in its own turn.
        scheduler.nowMs < startMs + deadlineMs &&
        // A recovering route takes few calls at once; calls elsewhere need not wait for it.
        (group === sending.group || breakers[group]!.closed) &&
        keyOf(kind, key) === sending.key &&
        replica.process === sending.process &&
        sentMs === null &&
        startMs < scheduler.nowMs - PASSED_OVER_MS,
    );
    if (person !== undefined) broken('people first', `${sending.path} of the background goes before ${person.path}`);
  }

  return {
    violations,
    broken,
    landings: quota.landings,
    sent(sending) {
      const breakers = watchesOf(sending.process);
      const breaker = breakers[sending.group]!;
      const callers = [...open].filter((one) => isFor(one, sending));
      flying.add(sending);
      checkTurns(sending, callers, breakers);
      for (const one of callers) one.sentMs ??= scheduler.nowMs;
      if (sending.method === 'POST') {
        if (writes.has(sending.path)) broken('writes are sent once', sending.path);
        writes.add(sending.path);
      }
      const wrong = breaker.sent(sending);
      if (wrong !== null) broken('breaker', `${sending.process.name} ${sending.path}: ${wrong}`);
    },
    ended(sending) {
      flying.delete(sending);
      quota.ended(sending);
      if (sending.response?.status === 200) acceptedBy(sending.process).add(sending.key);
      watchesOf(sending.process)[sending.group]!.ended(sending);
    },
    refused(sending, refused) {
      for (const rule of quota.refused(sending, refused)) {
        broken(rule, `${sending.process.name} ${sending.path} ${sending.key} by the ${refused.window}`);
      }
    },
    started(call) {
      open.add(call);
      if (call.kind !== 'background') startedByCallers.add(nameOf(call));
      // The caller shares a call in flight.
      if ([...flying].some((sending) => isFor(call, sending))) call.sentMs = scheduler.nowMs;
    },
    finished(call) {
      open.delete(call);
      for (const [rule, detail] of faultsOf(call, service.wasTroubled(call.group))) {
        broken(rule, `${nameOf(call)} ${detail}`);
      }
      const key = keyOf(call.kind, call.key);
      if (REFUSALS.has(call.end?.code ?? '') && acceptedBy(call.replica.process).has(key))
        broken('a good key is not at fault', `${nameOf(call)} ${key}: ${call.end?.code}`);
      const behind = [...open].filter(
        (one) => one.sentMs === null && keyOf(one.kind, one.key) === keyOf(call.kind, call.key),
      );
      const misled = quota.checkRetryAfter(call, behind.length);
      if (misled !== null) broken('retry-after is right', `${nameOf(call)} ${misled}`);
    },
    inFlight: ({ process }) => [...flying].filter((one) => one.process === process).length,
    waiting: (replica) => [...open].filter((one) => one.replica === replica).length,
  };
}

function watchReplica(scheduler: Scheduler): BreakerWatch[] {
  return GROUPS.map(() => watchBreaker(() => scheduler.nowMs));
}

function nameOf({ replica, path }: ClientCall): string {
  return `${replica.process.name} ${path}`;
}
