import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from './measure.js';
import type { VariantName } from './options.js';
import type { Upstreams } from './processes.js';
import { dataOf } from './sending.js';
import { createVariantStarter } from './variants.js';
import type { Workload } from './workloads.js';

/** One start of a variant. */
export interface Start {
  readonly variant: string;
  /** From the start of the process that receives queries until it reports its address; subgraphs are started before. */
  readonly readyMs: number;
  /** Resident memory of all its processes, `REST_MS` later. */
  readonly restMb: number;
  /** How long the first query then takes: nothing has been fetched, and little of the program has run. */
  readonly firstMs: number;
}

/** Time in which a variant loads the export after its start. */
const REST_MS = 5_000;

/** Starts each variant `starts` times, with no other variant running, and sends it the join once. */
export async function measureStarts(
  upstreams: Upstreams,
  { variants, starts }: { readonly variants: readonly VariantName[]; readonly starts: number },
  workload: Workload,
): Promise<Start[]> {
  const measured: Start[] = [];
  for (let time = 0; time < starts; time++) {
    for (const name of variants) {
      if (name === 'bytes') continue;
      const starter = createVariantStarter(upstreams);
      const variant = await starter.start(name);
      await pause(REST_MS);
      const { rssMb } = await usageOf(variant);
      const startedMs = performance.now();
      for (const operation of workload.operations) await dataOf(variant, operation, workload);
      const firstMs = performance.now() - startedMs;
      measured.push({ variant: name, readyMs: variant.servers[0].readyMs, restMb: rssMb, firstMs });
      await starter.close();
    }
  }
  return measured;
}
