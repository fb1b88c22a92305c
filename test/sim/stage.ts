import type { Chance } from '../chance.js';
import { type ClientCall, startCall, type Wish } from './callers.js';
import { createReferee, type Referee } from './referee.js';
import { type Replica, startReplica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import { createService, type Service } from './service.js';
import { createSharedStore, type SharedStore } from './shared-store.js';
import type { Sending, WireWatch } from './wire.js';
import type { World } from './world.js';

/** A world, and everything that acts in it. */
export interface Stage {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly referee: Referee;
  readonly service: Service;
  readonly store: SharedStore | null;
  readonly counts: { calls: number; sent: number; answered: number; refusals: number };
  /** The replicas that are running. */
  alive(): readonly Replica[];
  /** A caller calls a replica. */
  wish(wish: Wish, replica: Replica, onEnd?: (call: ClientCall) => void): void;
  /** Pauses all replicas for this many milliseconds. */
  sleep(ms: number): void;
}

/** Until a successor listens; how often a replica that ends looks for requests; how long it takes to close. */
const START_MS = 1_500;
const FINISH_MS = 100;
const CLOSE_MS = 1_000;

export interface StageOptions {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}

export function createStage(world: World, { scheduler, chance }: StageOptions): Stage {
  const counts = { calls: 0, sent: 0, answered: 0, refusals: 0 };
  const service = createService(world, scheduler, chance.fork());
  const referee = createReferee(world, { scheduler, service });
  const store = world.shared ? createSharedStore(world, scheduler) : null;
  const watch = counting(referee, counts);
  const start = (number: number) =>
    startReplica({ number, world, scheduler, chance: chance.fork(), service, store, watch });
  const replicas = Array.from({ length: world.replicas }, (_, number) => start(number));

  function pause(replica: Replica, ms: number): void {
    replica.process.pausedUntilMs = scheduler.nowMs + ms;
    replica.lastPauseEndsMs = scheduler.nowMs + ms;
  }

  function crash(number: number, ms: number): void {
    replicas[number]!.process.alive = false;
    const again = () => {
      replicas[number] = start(number);
    };
    scheduler.after(ms, { name: `starts replica ${number}`, of: null, run: again });
  }

  for (const { kind, atMs, forMs, replica } of world.stops) {
    const number = replica % world.replicas;
    const run = () => (kind === 'pause' ? pause(replicas[number]!, forMs) : crash(number, forMs));
    scheduler.after(atMs, { name: `brings replica ${number} a ${kind} of ${Math.round(forMs)} ms`, of: null, run });
  }

  /** Starts a successor, which gets all new callers; the replica ends once its own have their responses. */
  function replace(number: number): void {
    const replica = replicas[number]!;
    if (!replica.process.alive) return;
    replicas[number] = start(number);
    finishAfter(0, replica);
  }

  function finishAfter(ms: number, replica: Replica): void {
    const { process, upstream } = replica;
    const end = () => {
      process.alive = false;
    };
    const run = () => {
      if (referee.waiting(replica) > 0) {
        finishAfter(FINISH_MS, replica);
        return;
      }
      void upstream.close();
      scheduler.after(CLOSE_MS, { name: 'ends', of: process, run: end });
    };
    scheduler.after(ms, { name: 'is closing', of: process, run });
  }

  for (const atMs of world.replacements) {
    for (const number of replicas.keys()) {
      const run = () => replace(number);
      scheduler.after(atMs + number * START_MS, { name: `replaces replica ${number}`, of: null, run });
    }
  }

  function wish(what: Wish, replica: Replica, onEnd?: (call: ClientCall) => void): void {
    if (replica.process.pausedUntilMs > scheduler.nowMs) {
      const run = () => wish(what, replica, onEnd);
      scheduler.after(0, { name: 'hears a caller late', of: replica.process, run });
      return;
    }
    counts.calls += 1;
    const onResponse = (call: ClientCall) => {
      if (call.end?.code === undefined) counts.answered += 1;
      referee.finished(call);
      onEnd?.(call);
    };
    referee.started(startCall(what, { replica, scheduler, onEnd: onResponse }));
  }

  return {
    ...{ world, scheduler, referee, service, store, counts, wish },
    alive: () => replicas.filter(({ process }) => process.alive),
    sleep(ms) {
      for (const replica of replicas) pause(replica, ms);
    },
  };
}

function counting(referee: Referee, counts: Stage['counts']): WireWatch {
  return {
    ended: referee.ended,
    sent(sending: Sending) {
      counts.sent += 1;
      referee.sent(sending);
    },
    refused(sending, refused) {
      counts.refusals += 1;
      referee.refused(sending, refused);
    },
  };
}
