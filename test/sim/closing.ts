import type { WindowScope } from '../../subgraphs/rest/quota/scope.js';
import type { Stage } from './stage.js';

/** What must be true a minute after the last fault. */
export function checkConverged({ alive, referee }: Stage): void {
  for (const { process, upstream } of alive()) {
    const { state, detail } = upstream.status();
    if (state === 'DOWN' || detail?.startsWith('not available') === true) {
      referee.broken('breakers close', `${process.name}: ${detail}`);
    }
    if (detail?.includes('alone') === true) referee.broken('the store is shared again', process.name);
  }
}

/** Whether some replica still does something, beside saying every other second that it is there. */
export function isBusy({ alive, referee, scheduler, store }: Stage): boolean {
  const beats = store === null ? 0 : 1;
  return alive().some(
    (replica) =>
      referee.inFlight(replica) > 0 ||
      referee.waiting(replica) > 0 ||
      scheduler.waiting(replica.process).filter((name) => name === 'wakes').length > beats,
  );
}

/** What must be true when nobody asks any more. Closes the replicas. */
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
  referee.conclude();
}

/** How long a call counts after its answer: a window and its guard second. */
const COUNTS_MS = 61_000;
/** A landing is told on the next trip to the store. */
const TRIP_MS = 100;

/** All replicas have told the shared accounts what they spent, and hold nothing there. */
export async function checkAccounts({ store, referee, scheduler }: Stage): Promise<void> {
  for (const scope of store?.scopes.values() ?? []) {
    const taken = await store?.accounts.takeWindow(scope, { ids: [], leaseMs: 0, headroom: 0 }, null);
    if (taken === undefined || taken === 'lost') continue;
    const landed = taken.state.spends.filter((spend) => spend.landed).length;
    const held = taken.state.spends.length - landed;
    if (held > 0) referee.broken('no lease is left', `${scope.name}: ${held}`);
    const landings = referee.landings(keyOf(scope));
    const since = (ms: number) => landings.filter((atMs) => atMs > scheduler.nowMs - COUNTS_MS + ms).length;
    if (landed < since(TRIP_MS) || landed > since(-TRIP_MS)) {
      referee.broken('ledgers are equal', `${scope.name}: ${landed} calls, not ${since(0)}`);
    }
  }
}

/** A scope is named after the mark of its key. */
function keyOf({ name }: WindowScope): string {
  return name.slice(name.indexOf('fingerprint-of-') + 'fingerprint-of-'.length);
}
