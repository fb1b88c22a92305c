import type { Dialect, Probe } from '../call/dialect.js';
import type { UpstreamRequest } from '../call/upstream.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/ports.js';
import { Breaker } from './breaker.js';
import { createSlots, type Slots } from './slots.js';

/** Routes that are up or down together, because they share a backend. */
export interface RouteGroup {
  readonly name: string;
  readonly breaker: Breaker;
  /** Finds out whether the routes answer at all; null where the calls themselves decide. */
  readonly probe: Probe | null;
  /** As many slots as the breaker allows concurrent calls. */
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
  /** Called when the routes of a group are found down, and when they are back. */
  readonly onOutage?: (routes: string, isDown: boolean) => void;
}

/** Groups are created when their routes are first called, each with a closed breaker. */
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
      // An open breaker admits all waiting calls, so that they fail at once.
      const slots = createSlots(() => (breaker.state === 'open' ? Number.POSITIVE_INFINITY : breaker.mostInFlight));
      const group = { name, breaker, probe, slots };
      groups.set(name, group);
      return group;
    },
    all: () => [...groups.values()],
  };
}
