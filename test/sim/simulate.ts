import { type Asked, ask, type Wish } from './callers.js';
import { type Chance, createChance } from './chance.js';
import { createLoad } from './load.js';
import { createReferee, type Referee, type Violation } from './referee.js';
import { type Replica, startReplica } from './replica.js';
import { createScheduler, type Scheduler } from './scheduler.js';
import { createService } from './service.js';
import { createSharedStore, unlandedIn } from './shared-store.js';
import { realToolkit, type Toolkit } from './toolkit.js';
import { drawWorld, LIVENESS_MS, REST_MS, SAFETY_MS, type World } from './world.js';

/** What became of one seed. */
export interface Run {
  readonly seed: number;
  readonly world: World;
  /** Equal for equal seeds. */
  readonly hash: number;
  readonly events: number;
  readonly virtualMs: number;
  /** Calls that callers made, and requests that went out for them. */
  readonly asked: number;
  readonly sent: number;
  readonly answered: number;
  readonly refusals: number;
  readonly violations: readonly Violation[];
  /** The last events before the first violation, or before the end. */
  readonly recent: readonly string[];
}

/** Runs the toolkit in the world of a seed: dangers first, then a time in which everything must become well again. */
export async function simulate(seed: number, toolkit: Toolkit = realToolkit): Promise<Run> {
  const { stackTraceLimit } = Error;
  // Thousands of errors are part of a world, and writing their stacks would take most of the time.
  Error.stackTraceLimit = 0;
  try {
    return await play(seed, toolkit);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function play(seed: number, toolkit: Toolkit): Promise<Run> {
  const chance = createChance(seed);
  const world = drawWorld(chance);
  const scheduler = createScheduler();
  const stage = build(world, { scheduler, chance, toolkit });
  const { referee, counts, load } = stage;
  const isOver = () => referee.violations.length > 0;

  await until(SAFETY_MS, scheduler, isOver);
  load.calm();
  await until(SAFETY_MS + LIVENESS_MS - 5_000, scheduler, isOver);
  load.nudge();
  await until(SAFETY_MS + LIVENESS_MS, scheduler, isOver);
  if (!isOver()) stage.checkConverged();
  await until(SAFETY_MS + LIVENESS_MS + 5_000, scheduler, isOver);
  load.probe();
  await until(SAFETY_MS + LIVENESS_MS + 20_000, scheduler, isOver);
  load.stop();
  await until(SAFETY_MS + LIVENESS_MS + 20_000 + REST_MS, scheduler, isOver);
  const recent = scheduler.recent();
  if (!isOver()) await stage.checkEnd();
  return {
    seed,
    world,
    hash: scheduler.hash,
    events: scheduler.count,
    virtualMs: scheduler.nowMs,
    ...counts,
    violations: referee.violations,
    recent,
  };
}

/** Runs on, in steps, and stops soon after a promise was broken. */
async function until(ms: number, scheduler: Scheduler, isOver: () => boolean): Promise<void> {
  while (!isOver() && scheduler.nowMs < ms) await scheduler.runUntil(Math.min(ms, scheduler.nowMs + 1_000));
}

function build(
  world: World,
  { scheduler, chance, toolkit }: { scheduler: Scheduler; chance: Chance; toolkit: Toolkit },
) {
  const referee = createReferee(world, scheduler);
  const counts = { asked: 0, sent: 0, answered: 0, refusals: 0 };
  const service = createService(world, scheduler, chance.fork());
  const store = world.shared
    ? createSharedStore(
        world,
        scheduler,
        toolkit.createVirtualAccounts(() => scheduler.nowMs),
      )
    : null;
  const watch = {
    ...referee,
    sent: (sending: Parameters<Referee['sent']>[0]) => {
      counts.sent += 1;
      referee.sent(sending);
    },
    refused: (...parts: Parameters<Referee['refused']>) => {
      counts.refusals += 1;
      referee.refused(...parts);
    },
  };
  const start = (number: number) =>
    startReplica({ number, world, toolkit, scheduler, chance: chance.fork(), service, store, watch, onCall: () => {} });
  const replicas = Array.from({ length: world.replicas }, (_, number) => start(number));
  const alive = () => replicas.filter(({ process }) => process.alive);

  for (const { kind, atMs, forMs, replica } of world.stops) {
    const number = replica % world.replicas;
    const run = () => {
      const one = replicas[number]!;
      if (kind === 'pause') {
        one.process.pausedUntilMs = scheduler.nowMs + forMs;
        one.lastPauseEndsMs = scheduler.nowMs + forMs;
        return;
      }
      one.process.alive = false;
      const again = () => {
        replicas[number] = start(number);
      };
      scheduler.after(forMs, { name: `replica ${number} starts`, of: null, run: again });
    };
    scheduler.after(atMs, { name: `replica ${number}: ${kind}`, of: null, run });
  }

  const wish = (what: Wish, replica: Replica, onEnd?: (asked: Asked) => void) => {
    const { process } = replica;
    if (process.pausedUntilMs > scheduler.nowMs) {
      const run = () => wish(what, replica, onEnd);
      scheduler.after(0, { name: 'hears a caller late', of: process, run });
      return;
    }
    counts.asked += 1;
    const onAnswer = (asked: Asked) => {
      if (asked.end?.code === undefined) counts.answered += 1;
      referee.finished(asked);
      onEnd?.(asked);
    };
    const asked = ask(what, { replica, scheduler, onEnd: onAnswer });
    if (asked.end === null) referee.started(asked);
  };
  const load = createLoad({ world, scheduler, chance: chance.fork(), replicas: alive, wish, broken: referee.broken });

  return {
    referee,
    counts,
    load,
    /** RELIABILITY E "Liveness". */
    checkConverged() {
      for (const { process, upstream } of alive()) {
        const { state, detail } = upstream.status();
        if (state === 'DOWN' || detail?.startsWith('not available'))
          referee.broken('breakers close', `${process.name}: ${detail}`);
        if (detail?.includes('alone')) referee.broken('the store is shared again', process.name);
      }
    },
    async checkEnd() {
      for (const replica of alive()) {
        const { name } = replica.process;
        if (referee.inFlight(replica) > 0) referee.broken('nothing is left in flight', name);
        if (referee.waiting(replica) > 0) referee.broken('nobody is left waiting', name);
      }
      const unlanded = store === null ? 0 : await unlandedIn(store);
      if (unlanded > 0) referee.broken('no lease is left', String(unlanded));
      for (const { upstream } of alive()) await upstream.close();
      await scheduler.runUntil(scheduler.nowMs + 1_000);
      for (const { process } of alive()) {
        const left = scheduler.waiting(process);
        if (left.length > 0) referee.broken('no timer is left', `${process.name}: ${left.join(', ')}`);
      }
    },
  };
}
