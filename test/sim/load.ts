import type { Chance } from '../chance.js';
import { FIRST_OWN, type Wish } from './callers.js';
import type { Stage } from './stage.js';

/** The callers of a world. */
export interface Load {
  /** From now on there are few enough calls that each can succeed, and no writes. */
  calm(): void;
  /** Calls each replica for each group and with each key, as breakers and accounts change only when used. */
  nudge(): void;
  stop(): void;
}

export type LoadOptions = Pick<Stage, 'world' | 'scheduler' | 'alive' | 'wish'> & { readonly chance: Chance };

/** All calls together, as a share of a window, once the load is calm. */
const CALM_SHARE = 0.3;
/** Factor on the load during a fault and for a while after it, as people retry when they get no response. */
const RUSH = 4;
const AFTERMATH_MS = 5_000;

export function createLoad({ world, scheduler, chance, alive, wish }: LoadOptions): Load {
  let perSecond = world.steady;
  let calm = false;
  let stopped = false;
  let lastItem = FIRST_OWN;

  const own = () => {
    lastItem += 1;
    return lastItem;
  };

  /** Where many callers leave, many write, as an abandoned write is a danger of its own. */
  function writesOr(kind: Wish['kind']): Wish['kind'] {
    if (!world.writes || calm) return kind === 'write' ? 'search' : kind;
    return world.leavers > 0.2 && kind === 'search' && chance.happens(0.6) ? 'write' : kind;
  }

  function isTroubled(): boolean {
    const now = scheduler.nowMs;
    // Where nobody ever leaves, callers are patient.
    if (world.leavers === 0) return false;
    return world.outages.some(({ atMs, forMs }) => now >= atMs && now < atMs + forMs + AFTERMATH_MS);
  }

  function draw(): Wish {
    const drawn = chance.pick(['search', 'search', 'search', 'search', 'reference', 'write', 'background'] as const);
    const kind = writesOr(drawn);
    const popular = kind !== 'write' && chance.happens(isTroubled() ? 0.75 : 0.6);
    const deadlineMs = chance.pick([2_000, 9_000, 25_000, 25_000]);
    return {
      kind,
      group: chance.int(0, 1),
      item: popular ? chance.int(1, world.popular) : own(),
      key: `key ${chance.int(1, world.keys)}`,
      deadlineMs,
      leavesAfterMs: chance.happens(world.leavers) ? chance.between(1, chance.pick([200, deadlineMs])) : null,
      request: {},
      alone: true,
    };
  }

  function steady(): void {
    if (stopped) return;
    if (alive().length > 0) wish(draw(), chance.pick(alive()));
    const rate = isTroubled() ? perSecond * RUSH : perSecond;
    scheduler.after((1000 / rate) * chance.between(0.2, 1.8), { name: 'a caller calls', of: null, run: steady });
  }
  steady();

  function burst(calls: number, oneRequest: boolean): void {
    const one = { ...search(), deadlineMs: chance.pick([5_000, 25_000]) };
    if (alive().length === 0) return;
    const replica = chance.pick(alive());
    for (let number = 0; number < calls; number += 1) {
      if (oneRequest) wish({ ...one, item: own(), alone: false }, replica);
      else wish({ ...one, item: own(), request: {} }, chance.pick(alive()));
    }
    // A later caller with a small request must not wait for all of it.
    const late = () => {
      if (replica.process.alive) wish({ ...one, item: own(), request: {} }, replica);
    };
    for (const ms of [50, 150, 400]) scheduler.after(ms, { name: 'another caller calls', of: null, run: late });
  }

  function search(): Wish {
    const key = `key ${chance.int(1, world.keys)}`;
    return { ...draw(), kind: 'search', item: own(), group: chance.int(0, 1), key, leavesAfterMs: null };
  }

  for (const { atMs, calls, oneRequest } of world.bursts) {
    const run = () => burst(calls, oneRequest);
    scheduler.after(atMs, { name: `hears ${calls} calls at once`, of: null, run });
  }

  return {
    calm() {
      calm = true;
      perSecond = Math.min(world.steady, (CALM_SHARE * world.service.limit) / 60);
    },
    nudge() {
      const one = search();
      for (const replica of alive()) {
        wish({ ...one, kind: 'reference', item: own(), group: 0 }, replica);
        for (let key = 1; key <= world.keys; key += 1) {
          wish({ ...one, item: own(), key: `key ${key}`, group: 1 }, replica);
        }
      }
    },
    stop() {
      stopped = true;
    },
  };
}
