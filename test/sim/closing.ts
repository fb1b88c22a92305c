import type { Stage } from './stage.js';

/** What must be true a minute after the last fault. */
export function checkConverged({ alive, referee }: Stage): void {
  for (const { process, upstream } of alive()) {
    const { state, detail } = upstream.status();
    if (state === 'DOWN' || detail?.startsWith('not available') === true) {
      referee.broken('breakers close', `${process.name}: ${detail}`);
    }
    if (detail?.includes('local fallback') === true) referee.broken('the store is shared again', process.name);
  }
}

/** Whether any replica is still doing anything other than heartbeats. */
export function isBusy({ alive, referee, scheduler, store }: Stage): boolean {
  const beats = store === null ? 0 : 1;
  return alive().some(
    (replica) =>
      referee.inFlight(replica) > 0 ||
      referee.waiting(replica) > 0 ||
      scheduler.waiting(replica.process).filter((name) => name === 'wakes').length > beats,
  );
}

/** What must be true once no more calls are made. Closes the replicas. */
export async function checkEnd(stage: Stage): Promise<void> {
  const { alive, referee, scheduler } = stage;
  for (const replica of alive()) {
    const { name } = replica.process;
    if (referee.inFlight(replica) > 0) referee.broken('nothing is left in flight', name);
    if (referee.waiting(replica) > 0) referee.broken('nobody is left waiting', name);
  }
  await checkAccounts(stage);
  for (const { upstream } of alive()) await upstream.close();
  await scheduler.runUntil(scheduler.nowMs + 1_000);
  for (const { process } of alive()) {
    const left = scheduler.waiting(process);
    if (left.length > 0) referee.broken('no timer is left', `${process.name}: ${left.join(', ')}`);
  }
}

/** A landing is written with the next command to the store. */
const TRIP_MS = 100;
/** How long a call counts after its response: a window plus its guard second. */
const COUNTS_MS = 61_000;
/** What precedes the key in the name of its account. */
const KEY_MARK = 'fingerprint-of-';

/** Checks that all replicas have written what they spent to the shared accounts, and have nothing reserved there. */
export async function checkAccounts({ store, referee, scheduler }: Stage): Promise<void> {
  const { nowMs } = scheduler;
  for (const [name, log] of store?.quotas.logs() ?? []) {
    const [, key] = name.split(KEY_MARK);
    if (key === undefined) continue;
    const { counted, inFlight } = log.change({ countsMs: COUNTS_MS });
    if (inFlight > 0) referee.broken('no lease is left', `${name}: ${inFlight}`);
    const landed = counted - inFlight;
    const landings = referee.landings(key);
    const since = (ms: number) => landings.filter((endedMs) => endedMs > nowMs - COUNTS_MS + ms).length;
    if (landed < since(TRIP_MS) || landed > since(-TRIP_MS)) {
      referee.broken('accounts are equal', `${name}: ${landed} calls, not ${since(0)}`);
    }
  }
}
