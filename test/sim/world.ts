import type { Chance } from '../chance.js';

/** Milliseconds of virtual time with faults and load. */
export const SAFETY_MS = 105_000;
/** No fault is active after this: calls count for a window, its guard second and a rounded one. */
export const DANGER_MS = SAFETY_MS - 10_000;
/** How long recovery may take after the last fault. */
export const LIVENESS_MS = 60_000;

export const FAULT_KINDS = ['refused', 'reset', 'cut', 'silent', 'slow', '500', '503', 'html', 'html-404'] as const;
/**
 * Faults that were seen when the services' own code ran: a database of keys that fails, connections that are reset while
 * they are idle, an API gateway's 404, a success that announces a limit of 0, a backend that hangs, and a list whose
 * connection is destroyed in the middle.
 */
export const OBSERVED_FAULTS = ['key-database', 'idle-reset', 'json-404', 'limit-0', 'hanging', 'broken-off'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof OBSERVED_FAULTS)[number];

export const STORE_FAULTS = ['slow', 'frozen', 'dead', 'flushed'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];
/** A store that is lost to all replicas is the harder test of what each may spend, so it is drawn more often. */
const DRAWN_STORE_FAULTS: readonly StoreFault[] = [...STORE_FAULTS, 'dead', 'frozen'];

/** A fault that lasts for a while. */
export interface Spell<Kind> {
  readonly kind: Kind;
  readonly atMs: number;
  readonly forMs: number;
}

/** A fault of a route group. */
export interface Outage extends Spell<FaultKind> {
  readonly group: number;
  /** Share of the calls that it affects. */
  readonly share: number;
}

/** How the simulated service counts, and what it reports. */
export interface ServiceTraits {
  /** Calls of one key per minute, in each of its processes. */
  readonly limit: number;
  /** Whether the toolkit knows the limit in advance. */
  readonly documented: boolean;
  readonly processes: number;
  /** How much longer than reported a window may last, as limiters are swept by timers. */
  readonly slackMs: number;
  readonly reset: 'seconds' | 'epoch' | 'none';
  readonly rounding: 'floor' | 'round' | 'ceil';
  /** Share of responses without quota headers. */
  readonly missing: number;
  /** Offset of the service's clock. */
  readonly skewMs: number;
  /** Share of the limit that someone else spends in each window. */
  readonly stranger: number;
  readonly latencyMs: number;
  /** Whether failed calls are counted. */
  readonly countsFailures: boolean;
  /** Whether a proxy in front also counts calls by address: 40 a second, 100 at once. */
  readonly proxy: boolean;
}

/** Everything that a seed decides about a world before it starts. */
export interface World {
  readonly replicas: number;
  readonly shared: boolean;
  readonly keys: number;
  /** Number of popular items, whose calls are coalesced, cached and refreshed; any other item is requested once. */
  readonly popular: number;
  readonly service: ServiceTraits;
  readonly outages: readonly Outage[];
  readonly storeFaults: readonly Spell<StoreFault>[];
  readonly stops: readonly (Spell<'crash' | 'pause'> & { readonly replica: number })[];
  /** When all replicas are replaced, one after the other, as in a rolling restart. */
  readonly replacements: readonly number[];
  /** Steady load in total, in calls per second. */
  readonly steady: number;
  readonly bursts: readonly { readonly atMs: number; readonly calls: number; readonly oneRequest: boolean }[];
  /** Whether anyone writes: a write invalidates its key's cache entries. */
  readonly writes: boolean;
  /** Share of callers who leave before they are answered. */
  readonly leavers: number;
}

/** Faults start within this share of the faulty time, so that they can last a while. */
const LATEST = 0.9;

/** Draws a world. Each fault is absent from many worlds, so that the strictest rules can be checked there. */
export function drawWorld(chance: Chance): World {
  const shared = chance.happens(0.7);
  const service = drawService(chance);
  const dangers = shared && chance.happens(0.6);
  const storeFaults = drawSome(chance, dangers ? [1, 1, 2, 4] : [0], () =>
    drawSpell(chance, DRAWN_STORE_FAULTS, [500, 20_000]),
  );
  const outages = drawOutages(chance);
  return {
    replicas: shared ? chance.int(1, 4) : 1,
    shared,
    keys: chance.pick([1, 1, 2]),
    popular: chance.pick([1, 1, 4]),
    service,
    outages,
    storeFaults,
    stops: drawSome(chance, [0, 0, 1, 2], () => ({
      ...drawSpell(chance, ['crash', 'pause'] as const, [200, 6_000]),
      replica: chance.int(0, 3),
    })),
    replacements: [],
    steady: chance.between(0.15, Math.min(0.6, service.limit / 60)),
    bursts: drawSome(chance, [0, 1, 2], () => ({
      atMs: drawBurstMs(chance, [...storeFaults, ...outages]),
      calls: Math.min(100, Math.round(service.limit * chance.between(0.2, 2.2))),
      oneRequest: chance.happens(0.3),
    })),
    leavers: chance.pick([0, 0.1, 0.4]),
    writes: chance.happens(0.6),
  };
}

/**
 * A world with some of the observed faults too, in half of the worlds. They are drawn from a stream of their own, so that
 * other worlds stay as they are.
 */
export function withObservedFaults(world: World, chance: Chance): World {
  const outages = drawSome(chance, [0, 0, 1, 2], () => ({
    ...drawSpell(chance, OBSERVED_FAULTS, [3_000, 40_000]),
    group: chance.int(0, 1),
    share: chance.pick([1, 1, 0.35]),
  }));
  // A database of keys fails for all; when it fails again soon, no client can tell that from a key that is at fault.
  const [first] = outages.filter(({ kind }) => kind === 'key-database');
  const rest = outages.filter(({ kind }) => kind !== 'key-database');
  // It comes before all others, because authentication does.
  const observed = first === undefined ? rest : [{ ...first, share: 1 }, ...rest];
  return observed.length === 0 ? world : { ...world, outages: [...observed, ...world.outages] };
}

/** A world in which workers are replaced, in some of those with several: drawn from a stream of its own, as above. */
export function withReplacements(world: World, chance: Chance): World {
  if (world.replicas === 1) return world;
  return { ...world, replacements: drawSome(chance, [0, 0, 1, 2], () => chance.between(0, LATEST * DANGER_MS)) };
}

function drawOutages(chance: Chance): Outage[] {
  const group = chance.int(0, 1);
  const outages = drawSome(chance, [0, 1, 1, 2], () => ({
    ...drawSpell(chance, FAULT_KINDS, [3_000, 40_000]),
    group: chance.happens(0.6) ? group : 1 - group,
    // A third, because half of all calls would open the breaker.
    share: chance.pick([1, 1, 0.35]),
  }));
  // A service is often slow before it goes down: late responses then come when nobody expects them any more.
  const slow = outages.filter(() => chance.happens(0.4));
  const before = slow.map(({ atMs, group }) => {
    const fromMs = Math.max(0, atMs - chance.between(1_000, 6_000));
    return { kind: 'slow' as const, atMs: fromMs, forMs: atMs - fromMs, group, share: 1 };
  });
  return [...outages, ...before];
}

function drawService(chance: Chance): ServiceTraits {
  const reset = chance.pick(['seconds', 'seconds', 'epoch', 'epoch', 'none'] as const);
  const documented = reset === 'none' || chance.happens(0.7);
  return {
    limit: chance.pick([20, 20, 40, 40, 60, 120]),
    documented,
    processes: chance.pick([1, 1, 2, 3]),
    slackMs: chance.pick([0, 0, 900]),
    reset,
    rounding: chance.pick(['floor', 'round', 'ceil'] as const),
    missing: documented ? chance.pick([0, 0, 0.3]) : 0,
    skewMs: chance.pick([0, chance.between(-5_000, 5_000), chance.between(-300_000, 300_000)]),
    stranger: chance.pick([0, 0, 0.3]),
    latencyMs: chance.between(5, 150),
    countsFailures: chance.happens(0.5),
    proxy: chance.happens(0.2),
  };
}

function drawSpell<Kind>(chance: Chance, kinds: readonly Kind[], lasting: readonly [number, number]): Spell<Kind> {
  const kind = chance.pick(kinds);
  const atMs = chance.between(0, LATEST * DANGER_MS);
  return { kind, atMs, forMs: Math.min(chance.between(lasting[0], lasting[1]), DANGER_MS - atMs) };
}

/** Any time, but preferably just after a fault starts, when it matters most what each replica does. */
function drawBurstMs(chance: Chance, troubles: readonly Spell<unknown>[]): number {
  const anyMs = chance.between(0, LATEST * DANGER_MS);
  if (troubles.length === 0 || chance.happens(0.3)) return anyMs;
  const { atMs, forMs } = chance.pick(troubles);
  return atMs + chance.between(0, Math.min(forMs, 3_000));
}

function drawSome<T>(chance: Chance, numbers: readonly number[], draw: () => T): T[] {
  return Array.from({ length: chance.pick(numbers) }, draw);
}
