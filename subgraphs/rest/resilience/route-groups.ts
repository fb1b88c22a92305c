import type { Dialect, Probe } from '../call/dialect.js';
import type { UpstreamRequest } from '../call/upstream.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import { Breaker } from './breaker.js';
import { createSlots, type Slots } from './slots.js';

/** Routes that stand or fall together, for they have one backend. */
export interface RouteGroup {
  readonly name: string;
  readonly breaker: Breaker;
  /** Probes whether the routes answer at all; null where the calls themselves decide. */
  readonly probe: Probe | null;
  /** As many calls at once as the breaker allows. */
  readonly slots: Slots;
}

/** The groups of one service: the first two parts of a template, such as `/job/v1` or `/v0/mission`. */
export interface RouteGroups {
  of(request: UpstreamRequest<unknown>): RouteGroup;
  all(): readonly RouteGroup[];
}

interface RouteGroupsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly probes?: Dialect['probes'];
  /** Hears when the routes of a group are found down, and when they are back. */
  readonly onOutage?: (routes: string, isDown: boolean) => void;
}

/** Groups are made as their routes are first called, each with a closed breaker. */
export function createRouteGroups({ clock, random, probes = {}, onOutage }: RouteGroupsOptions): RouteGroups {
  const groups = new Map<string, RouteGroup>();
  return {
    of({ template }) {
      const name = template.split('/', 3).join('/');
      const known = groups.get(name);
      if (known !== undefined) return known;
      const probe = probes[name] ?? null;
      const onGroupOutage = (isDown: boolean) => onOutage?.(name, isDown);
      const breaker = new Breaker({ clock, random, verifies: probe !== null, onOutage: onGroupOutage });
      // An open breaker lets the waiting ones in: what they then hear is that it is open.
      const slots = createSlots(() => (breaker.state === 'open' ? Number.POSITIVE_INFINITY : breaker.mostInFlight));
      const group = { name, breaker, probe, slots };
      groups.set(name, group);
      return group;
    },
    all: () => [...groups.values()],
  };
}
