import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOptions } from './options.js';
import type { Load, Upstreams } from './processes.js';
import { requestOf } from './sending.js';
import type { LoadResult } from './servers/load.js';
import type { ClockShift } from './servers/meter.js';
import type { Variant } from './variants.js';
import type { Workload } from './workloads.js';

/** The figures of one variant in one round. */
export interface Sample {
  /** Milliseconds of CPU per request, over all its processes. */
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Resident memory of all its processes at the end. */
  readonly rssMb: number;
  /** Upstream calls per request. */
  readonly calls: number;
  /** Share of one core that the load generator took. */
  readonly loadShare: number;
}

/** The samples of one variant under one workload. */
export interface Measured {
  readonly variant: string;
  readonly samples: readonly Sample[];
}

export interface Bench {
  readonly options: BenchOptions;
  readonly upstreams: Upstreams;
  readonly load: Load;
}

/**
 * By the wall clock, longer than anything is served, stale or not (CACHE_TIMES); by the monotonic clock, until the pace
 * of calls to work-study (30 a second, 60 at once) allows a whole join at once again.
 */
const ALL_IS_OLD: ClockShift = { wallMs: 8 * 24 * 60 * 60_000, monotonicMs: 3_000 };
/** Time for the work that a server does when its clocks have moved. */
const COLD_PAUSE_MS = 20;

/** Requests with the same queries that a variant has received so far, by variant and first query. */
const warmed = new Map<string, number>();
/** Cold requests that each variant has received so far. */
let coldWarmed = 0;

/** Measures one workload in rounds in which variants take turns, so that a busy moment of the machine affects all. */
export async function measure(bench: Bench, variants: readonly Variant[], workload: Workload): Promise<Measured[]> {
  const cold = workload.coldDelayMs !== undefined;
  if (cold) await warmUpCold(bench, variants, workload);
  else for (const variant of variants) await warmUp(bench, variant, workload);
  const samples = new Map<Variant, Sample[]>(variants.map((variant) => [variant, []]));
  await bench.upstreams.delay(workload.coldDelayMs ?? 0);
  for (let round = 0; round < (cold ? bench.options.coldTimes : bench.options.rounds); round++) {
    for (const variant of turned(variants, round)) {
      if (cold) await age(bench, variants);
      else await send(bench, variant, workload, { count: workload.operations.length });
      const job = cold ? { count: 1 } : { seconds: bench.options.seconds };
      samples.get(variant)?.push(await sampled(bench, variant, () => send(bench, variant, workload, job)));
    }
  }
  await bench.upstreams.delay(0);
  return variants.map((variant) => ({ variant: variant.name, samples: samples.get(variant) ?? [] }));
}

async function warmUp(bench: Bench, variant: Variant, workload: Workload): Promise<void> {
  const { count, seconds } = bench.options.warmUp;
  const [operation] = workload.operations;
  const key = JSON.stringify([variant.name, operation]);
  const left = count - (warmed.get(key) ?? 0);
  if (left <= 0) return;
  const { answered } = await send(bench, variant, workload, { count: left, seconds });
  warmed.set(key, (warmed.get(key) ?? 0) + answered);
}

/**
 * Nothing else makes a variant fetch so much: without this, code would be measured that the engine has not compiled
 * yet. Variants take turns, as when measured, because code that has not run for seconds is slow again.
 */
async function warmUpCold(bench: Bench, variants: readonly Variant[], workload: Workload): Promise<void> {
  for (let times = coldWarmed; times < bench.options.coldWarmUp; times++) {
    for (const variant of turned(variants, times)) {
      await age(bench, variants);
      await send(bench, variant, workload, { count: 1 });
    }
  }
  coldWarmed = bench.options.coldWarmUp;
}

/** Expires everything that any variant caches, including in shared subgraphs, and every window of the upstreams. */
async function age({ upstreams }: Bench, variants: readonly Variant[]): Promise<void> {
  const servers = new Set(variants.flatMap((variant) => variant.servers));
  await Promise.all([upstreams, ...servers].map((process) => process.age(ALL_IS_OLD)));
  await pause(COLD_PAUSE_MS);
}

function send(bench: Bench, variant: Variant, workload: Workload, job: { count?: number; seconds?: number }) {
  const { connections, operations } = workload;
  const requests = operations.map((operation) => requestOf(variant, operation, workload));
  return bench.load.run({ port: Number(new URL(variant.servers[0].url).port), requests, connections, ...job });
}

async function sampled(bench: Bench, variant: Variant, run: () => Promise<LoadResult>): Promise<Sample> {
  await bench.upstreams.calls();
  const before = await usageOf(variant);
  const { answered, seconds, cpuMs, p50Ms, p99Ms } = await run();
  const after = await usageOf(variant);
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / answered,
    perSecond: answered / seconds,
    p50Ms,
    p99Ms,
    rssMb: after.rssMb,
    calls: (await bench.upstreams.calls()) / answered,
    loadShare: cpuMs / 1000 / seconds,
  };
}

/** CPU and memory of all processes of a variant together. */
export async function usageOf({ servers }: Variant): Promise<{ readonly cpuMs: number; readonly rssMb: number }> {
  const usages = await Promise.all(servers.map((server) => server.usage()));
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssMb: usages.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / 1e6,
  };
}

/** Rotates the items, so that another one starts each round. */
function turned<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
