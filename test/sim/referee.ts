import { getEventListeners } from 'node:events';
import { watchBreaker } from './breaker-watch.js';
import type { Asked } from './callers.js';
import { watchRefreshes } from './refresh-watch.js';
import type { Replica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import type { RefusedCall } from './service.js';
import { GROUPS, type Sending } from './wire.js';
import { SAFETY_MS, type World } from './world.js';

/** A promise that was broken, and when. */
export interface Violation {
  readonly rule: string;
  readonly atMs: number;
  readonly detail: string;
}

/** Watches a simulated world and writes down every promise that is broken (RELIABILITY E "Safety"). */
export interface Referee {
  readonly violations: readonly Violation[];
  broken(rule: string, detail: string): void;
  sent(sending: Sending): void;
  ended(sending: Sending): void;
  refused(sending: Sending, refused: RefusedCall): void;
  started(asked: Asked): void;
  finished(asked: Asked): void;
  /** Calls of a replica that the wire still carries. */
  inFlight(replica: Replica): number;
  /** Callers of a replica who still wait. */
  waiting(replica: Replica): number;
}

/** A person whose call could go and does not go for so long was passed over. */
const PASSED_OVER_MS = 300;
/** Freshness with its jitter, the clocks of two replicas, and the slowest answer (cache-classes.ts). */
const OLDEST_HIT_MS = 60_000 * 1.1 + 10_000 + 12_000;
const OLDEST_STALE_MS = 10 * 60_000 + 10_000 + 12_000;

const OUTAGE_CODES = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE']);

export function createReferee(world: World, scheduler: Scheduler): Referee {
  const violations: Violation[] = [];
  const breakers = new Map<Sending['process'], ReturnType<typeof watchBreaker>[]>();
  const refreshes = new Map<Sending['process'], ReturnType<typeof watchRefreshes>>();
  const open = new Set<Asked>();
  const flying = new Set<Sending>();
  const writes = new Set<string>();
  const begunByPeople = new Set<string>();
  /** The windows of which a refusal has been heard, and when by whom. */
  const heard = new Map<string, { readonly process: Sending['process']; readonly atMs: number }>();
  const refusals = new Map<Sending, RefusedCall>();
  const strict = neverRefused(world);

  function broken(rule: string, detail: string): void {
    scheduler.note(`BROKEN ${rule}: ${detail}`);
    violations.push({ rule, atMs: scheduler.nowMs, detail });
  }

  function breakerOf({ process, group }: Sending) {
    return getOrMake(breakers, process, () => GROUPS.map(watchBreaker))[group]!;
  }

  function checkTurns(sending: Sending): void {
    const asker = [...open].find((one) => isFor(one, sending) && one.kind === 'background');
    if (asker === undefined) return;
    // A call that a person began goes on as one when only the background still waits for it.
    if (begunByPeople.has(`${asker.replica.process.name} ${asker.path}`)) return;
    const person = [...open].find(
      ({ kind, key, replica, startMs, sentMs }) =>
        kind !== 'background' &&
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
    sent(sending) {
      flying.add(sending);
      checkTurns(sending);
      for (const one of open) if (isFor(one, sending)) one.sentMs ??= scheduler.nowMs;
      if (sending.method === 'POST') {
        if (writes.has(sending.path)) broken('writes are sent once', sending.path);
        writes.add(sending.path);
      }
      const breaker = breakerOf(sending);
      const isTrial = breaker.open;
      const wrong = breaker.sent(sending);
      if (wrong !== null) broken('breaker', `${sending.process.name} ${sending.path}: ${wrong}`);
      const early = getOrMake(refreshes, sending.process, watchRefreshes).sent(sending);
      if (early !== null && !isTrial) broken('patience', `${sending.process.name} ${sending.path}: ${early}`);
    },
    ended(sending) {
      flying.delete(sending);
      breakerOf(sending).ended(sending);
      refreshes.get(sending.process)?.ended(sending);
      const refused = refusals.get(sending);
      if (refused?.told === true && sending.end === 'answered' && !heard.has(refused.window)) {
        heard.set(refused.window, { process: sending.process, atMs: scheduler.nowMs });
      }
    },
    refused(sending, refused) {
      refusals.set(sending, refused);
      if (strict)
        broken('no refusal', `${sending.process.name} ${sending.path} ${sending.key} by the ${refused.window}`);
      const before = heard.get(refused.window);
      const knew = before !== undefined && (before.process === sending.process || world.storeFaults.length === 0);
      if (knew && sending.sentMs > before.atMs + 200 && before.process.alive) {
        broken('never refused twice in a row', `${sending.process.name} ${sending.path} by the ${refused.window}`);
      }
    },
    started(asked) {
      open.add(asked);
      if (asked.kind !== 'background') begunByPeople.add(`${asked.replica.process.name} ${asked.path}`);
      // He shares a call that is on its way.
      if ([...flying].some((sending) => isFor(asked, sending))) asked.sentMs = scheduler.nowMs;
    },
    finished(asked) {
      open.delete(asked);
      for (const [rule, detail] of faultsOf(asked, world))
        broken(rule, `${asked.replica.process.name} ${asked.path} ${detail}`);
    },
    inFlight: ({ process }) => [...flying].filter((one) => one.process === process).length,
    waiting: (replica) => [...open].filter((one) => one.replica === replica).length,
  };
}

/** What is wrong with how one call ended. */
function* faultsOf(asked: Asked, world: World): Iterable<readonly [rule: string, detail: string]> {
  const { startMs, deadlineMs, replica, key, kind, path } = asked;
  const { atMs, left, code, value, row, signal } = asked.end!;
  const lastMoment = Math.max(startMs + deadlineMs, replica.lastPauseEndsMs);
  if (atMs > lastMoment + 100) yield ['ends in time', `ended ${Math.round(atMs - startMs - deadlineMs)} ms late`];
  if (getEventListeners(signal, 'abort').length > 0) yield ['leaves no listener', ''];
  if (code !== undefined) {
    if (code === 'DEADLINE_EXCEEDED' ? !left && atMs < startMs + deadlineMs - 1 : !isExplained(code, asked, world)) {
      yield ['errors have a cause', code];
    }
    return;
  }
  const read = value as { kind?: string; key?: string; path?: string; madeAtMs?: number; noStore?: boolean } | null;
  if (read?.kind !== 'answer' || read.path !== path) {
    yield ["answers are the service's own", JSON.stringify(value)];
    return;
  }
  if (read.key !== keyOf(kind, key)) yield ['keys are kept apart', `${key} got what ${read.key} asked for`];
  const ageMs = atMs - read.madeAtMs!;
  const keptRow = row?.cache === 'HIT' || row?.cache === 'STALE';
  if (keptRow && read.noStore === true) yield ['no-store is not kept', ''];
  if (kind === 'reference') return;
  if (row?.cache === 'HIT' && ageMs > OLDEST_HIT_MS) yield ['fresh means fresh', `${Math.round(ageMs)} ms`];
  if (row?.cache === 'STALE' && ageMs > OLDEST_STALE_MS) yield ['stale has an end', `${Math.round(ageMs)} ms`];
}

/** Whether something in this world can have caused an error. */
function isExplained(code: string, { startMs, group, end }: Asked, world: World): boolean {
  if (code === 'RATE_LIMITED') return true;
  if (!OUTAGE_CODES.has(code)) return false;
  return world.outages.some((one) => one.group === group && one.atMs <= end!.atMs && startMs < SAFETY_MS + 60_000);
}

/** Worlds in which nothing but our own spends can cause a refusal, and nobody forgets them. */
function neverRefused({ service, stops, shared, storeFaults }: World): boolean {
  const crashes = stops.some(({ kind }) => kind === 'crash');
  return service.stranger === 0 && !(crashes && (!shared || storeFaults.length > 0));
}

function isFor(asked: Asked, sending: Sending): boolean {
  return (
    asked.replica.process === sending.process &&
    asked.path === sending.path &&
    keyOf(asked.kind, asked.key) === sending.key
  );
}

/** Reference data are fetched with the operator's key, whoever asks. */
function keyOf(kind: Asked['kind'], key: string): string {
  return kind === 'reference' ? 'operator' : key;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
