import type { Chance } from './chance.js';

/** Milliseconds of virtual time: faults happen in the first part, and everything must be well again in the second. */
export const SAFETY_MS = 120_000;
/** A window and its guard second, after which spent quota hides nothing, and a moment. */
export const LIVENESS_MS = 66_000;
/** After the last call, long enough for whatever goes on behind a caller's back to end. */
export const REST_MS = 45_000;

export const FAULT_KINDS = ['refused', 'reset', 'cut', 'silent', 'slow', '500', '503', 'html', 'html-404'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const STORE_FAULTS = ['slow', 'frozen', 'dead', 'flushed'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/** Something that is wrong for a while. */
export interface Spell<Kind> {
  readonly kind: Kind;
  readonly atMs: number;
  readonly forMs: number;
}

/** How the simulated service counts and speaks. */
export interface ServiceTraits {
  /** Calls of one key in a minute, in each of its processes. */
  readonly limit: number;
  /** Whether the toolkit is told the limit beforehand. */
  readonly documented: boolean;
  readonly processes: number;
  /** A window lasts up to so much longer than it is said to: limiters are swept by timers. */
  readonly slackMs: number;
  readonly reset: 'seconds' | 'epoch' | 'none';
  readonly rounding: 'floor' | 'round' | 'ceil';
  /** Share of answers without the headers. */
  readonly missing: number;
  /** The service's clock, against true time. */
  readonly skewMs: number;
  /** Share of the limit that somebody else spends in each window. */
  readonly stranger: number;
  readonly latencyMs: number;
  /** Whether a proxy in front counts the calls of the address: 40 a second, 100 at once. */
  readonly proxy: boolean;
}

/** All that a seed decides about a world before it begins. */
export interface World {
  readonly replicas: number;
  readonly shared: boolean;
  readonly keys: number;
  readonly service: ServiceTraits;
  readonly outages: readonly (Spell<FaultKind> & { readonly group: number })[];
  readonly storeFaults: readonly Spell<StoreFault>[];
  readonly stops: readonly (Spell<'crash' | 'pause'> & { readonly replica: number })[];
  /** Calls a second of steady load on the whole. */
  readonly steady: number;
  readonly bursts: readonly { readonly atMs: number; readonly calls: number; readonly oneRequest: boolean }[];
  /** Whether anybody writes: what a key wrote makes what was kept for it forgotten. */
  readonly writes: boolean;
  /** Share of callers that leave before they are answered. */
  readonly leavers: number;
}

/** Draws a world. Each danger is absent from many worlds, so that the strictest rules have worlds to hold in. */
export function drawWorld(chance: Chance): World {
  const shared = chance.happens(0.7);
  const service = drawService(chance);
  const dangers = shared && chance.happens(0.6);
  return {
    replicas: shared ? chance.int(1, 4) : 1,
    shared,
    keys: chance.int(1, 2),
    service,
    outages: drawSome(chance, [0, 1, 1, 2], () => ({
      ...drawSpell(chance, FAULT_KINDS, [3_000, 40_000]),
      group: chance.int(0, 1),
    })),
    storeFaults: drawSome(chance, dangers ? [1, 2, 6] : [0], () => drawSpell(chance, STORE_FAULTS, [500, 20_000])),
    stops: drawSome(chance, [0, 0, 1, 2], () => ({
      ...drawSpell(chance, ['crash', 'pause'] as const, [200, 6_000]),
      replica: chance.int(0, 3),
    })),
    steady: chance.between(0.3, Math.min(3, (1.5 * service.limit) / 60)),
    bursts: drawSome(chance, [0, 1, 2], () => ({
      atMs: chance.between(0, SAFETY_MS * 0.8),
      calls: chance.int(5, 100),
      oneRequest: chance.happens(0.3),
    })),
    leavers: chance.pick([0, 0.1, 0.3]),
    writes: chance.happens(0.6),
  };
}

function drawService(chance: Chance): ServiceTraits {
  const reset = chance.pick(['seconds', 'seconds', 'epoch', 'epoch', 'none'] as const);
  const documented = reset === 'none' || chance.happens(0.7);
  return {
    limit: chance.pick([20, 60, 60, 120, 120, 240]),
    documented,
    processes: chance.pick([1, 1, 2, 3]),
    slackMs: chance.pick([0, 0, 900]),
    reset,
    rounding: chance.pick(['floor', 'round', 'ceil'] as const),
    missing: documented ? chance.pick([0, 0, 0.3]) : 0,
    skewMs: chance.pick([0, chance.between(-5_000, 5_000), chance.between(-300_000, 300_000)]),
    stranger: chance.pick([0, 0, 0, 0.3]),
    latencyMs: chance.between(5, 150),
    proxy: chance.happens(0.2),
  };
}

function drawSpell<Kind>(chance: Chance, kinds: readonly Kind[], lasting: readonly [number, number]): Spell<Kind> {
  return {
    kind: chance.pick(kinds),
    atMs: chance.between(0, SAFETY_MS * 0.8),
    forMs: chance.between(lasting[0], lasting[1]),
  };
}

function drawSome<T>(chance: Chance, numbers: readonly number[], draw: () => T): T[] {
  return Array.from({ length: chance.pick(numbers) }, draw);
}
