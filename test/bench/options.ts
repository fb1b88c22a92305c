import { parseArgs } from 'node:util';

export const VARIANT_NAMES = ['ours', 'apart', 'stock', 'by-hand', 'bytes'] as const;
export type VariantName = (typeof VARIANT_NAMES)[number];

/** How the bench is run. */
export interface BenchOptions {
  readonly variants: readonly VariantName[];
  /** Names of workloads; empty for all. */
  readonly only: readonly string[];
  readonly rounds: number;
  /** Of one variant in one round. */
  readonly seconds: number;
  /** Requests before anything is measured, and how long they may take at most. */
  readonly warmUp: { readonly count: number; readonly seconds: number };
  /** Cold requests to each variant. */
  readonly coldTimes: number;
  /** File for the figures. */
  readonly json: string | null;
}

const FULL = { rounds: 7, seconds: 3, warmUp: { count: 10_000, seconds: 600 }, coldTimes: 25 };
const QUICK = { rounds: 3, seconds: 0.4, warmUp: { count: 2_000, seconds: 1 }, coldTimes: 5 };

/** Reads the command line. Throws for what it does not know. */
export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      variants: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      'warm-up': { type: 'string' },
      json: { type: 'string' },
    },
  });
  const base = values.quick ? QUICK : FULL;
  const warmUp = values['warm-up'] === undefined ? base.warmUp : { count: Number(values['warm-up']), seconds: 600 };
  return {
    ...base,
    warmUp,
    variants: (values.variants?.split(',') ?? VARIANT_NAMES).map(variantName),
    only: values.only?.split(',') ?? [],
    seconds: Number(values.seconds ?? base.seconds),
    rounds: Number(values.rounds ?? base.rounds),
    json: values.json ?? null,
  };
}

function variantName(name: string): VariantName {
  const known = VARIANT_NAMES.find((variant) => variant === name);
  if (known === undefined) throw new Error(`There is no variant ${name}: ${VARIANT_NAMES.join(', ')}`);
  return known;
}
