import { type Asked, POPULAR, type Wish } from './callers.js';
import type { Chance } from './chance.js';
import type { Replica } from './replica.js';
import type { Scheduler } from './scheduler.js';
import type { World } from './world.js';

/** Those who ask. */
export interface Load {
  /** From now on so little is asked that everything can be answered. */
  calm(): void;
  /** Asks each replica for something of each group with each key: breakers and accounts move when somebody asks. */
  nudge(): void;
  /** Asks for a few things that must be answered, and soon, for nothing is wrong any more. */
  probe(): void;
  stop(): void;
}

export interface LoadOptions {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly replicas: () => readonly Replica[];
  readonly wish: (wish: Wish, replica: Replica, onEnd?: (asked: Asked) => void) => void;
  readonly broken: (rule: string, detail: string) => void;
}

/** Calls of everybody together, as a share of what a window holds, while it is calm. */
const CALM_SHARE = 0.3;
/** Once all is well an answer takes two trips and a slow moment. */
const SOON_MS = 6_000;

export function createLoad({ world, scheduler, chance, replicas, wish, broken }: LoadOptions): Load {
  let perSecond = world.steady;
  let calm = false;
  let stopped = false;
  let lastItem = 1_000;

  const own = () => {
    lastItem += 1;
    return lastItem;
  };

  /** Where many leave, many write too: a write that nobody waits for any more is a danger of its own. */
  function writesOr(kind: Wish['kind']): Wish['kind'] {
    if (!world.writes) return kind === 'write' ? 'search' : kind;
    return world.leavers > 0.2 && kind === 'search' && chance.happens(0.6) ? 'write' : kind;
  }

  function draw(): Wish {
    const drawn = chance.pick(['search', 'search', 'search', 'search', 'reference', 'write', 'background'] as const);
    const kind = writesOr(drawn);
    const popular = kind !== 'write' && chance.happens(0.6);
    const deadlineMs = chance.pick([2_000, 9_000, 25_000, 25_000]);
    return {
      kind,
      group: chance.int(0, 1),
      item: popular ? chance.int(1, POPULAR) : own(),
      key: `key ${chance.int(1, world.keys)}`,
      deadlineMs,
      leavesAfterMs: chance.happens(world.leavers) ? chance.between(1, deadlineMs) : null,
      request: {},
    };
  }

  function steady(): void {
    if (stopped) return;
    if (replicas().length > 0) wish(draw(), chance.pick(replicas()));
    scheduler.after((1000 / perSecond) * chance.between(0.2, 1.8), { name: 'somebody asks', of: null, run: steady });
  }
  steady();

  for (const { atMs, calls, oneRequest } of world.bursts) {
    const run = () => {
      if (replicas().length === 0) return;
      const request = {};
      const deadlineMs = chance.pick([5_000, 25_000]);
      const replica = chance.pick(replicas());
      const key = `key ${chance.int(1, world.keys)}`;
      const group = chance.int(0, 1);
      for (let i = 0; i < calls; i += 1) {
        const one: Wish = { kind: 'search', group, item: own(), key, deadlineMs, leavesAfterMs: null, request };
        wish(oneRequest ? one : { ...one, request: {} }, oneRequest ? replica : chance.pick(replicas()));
      }
    };
    scheduler.after(atMs, { name: `${calls} calls at once`, of: null, run });
  }

  return {
    calm() {
      calm = true;
      perSecond = Math.min(world.steady, (CALM_SHARE * world.service.limit) / 60);
    },
    nudge() {
      for (const replica of replicas()) {
        for (const group of [0, 1]) {
          wish({ ...draw(), kind: 'reference', item: own(), group, leavesAfterMs: null }, replica);
          for (let key = 1; key <= world.keys; key += 1) {
            wish({ ...draw(), kind: 'search', item: own(), key: `key ${key}`, group, leavesAfterMs: null }, replica);
          }
        }
      }
    },
    probe() {
      if (!calm) throw new Error('Only a calm world can be probed.');
      for (const replica of replicas()) {
        const item = own();
        // Reference data, because what somebody writes makes searches forgotten.
        const probe = { ...draw(), kind: 'reference' as const, item, deadlineMs: 25_000 };
        const mustAnswer = (asked: Asked) => {
          const { code, atMs } = asked.end!;
          const ms = Math.round(atMs - asked.startMs);
          if (code !== undefined) broken('all is well again', `${replica.process.name} ${asked.path} ${code}`);
          else if (ms > SOON_MS) broken('all is well again', `${replica.process.name} ${asked.path} took ${ms} ms`);
        };
        // The first one leaves; the others, who share his call, must not notice.
        wish({ ...probe, leavesAfterMs: 1 }, replica);
        let isKept = false;
        wish({ ...probe, leavesAfterMs: null }, replica, (asked) => {
          mustAnswer(asked);
          isKept = (asked.end?.value as { noStore?: boolean } | undefined)?.noStore === false;
        });
        const again = () => {
          if (!replica.process.alive) return;
          wish({ ...probe, leavesAfterMs: null }, replica, (asked) => {
            mustAnswer(asked);
            const cache = asked.end?.row?.cache;
            if (isKept && cache !== 'HIT')
              broken('what is kept is used', `${replica.process.name} ${asked.path} ${cache}`);
          });
        };
        scheduler.after(8_000, { name: 'the probe asks again', of: null, run: again });
      }
    },
    stop() {
      stopped = true;
    },
  };
}
