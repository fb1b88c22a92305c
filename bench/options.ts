import { parseArgs } from 'node:util';

/** The variants unless the command line names others. */
const VARIANTS = ['ours', 'ours-executed', 'apart', 'apart-executed', 'stock', 'by-hand', 'bytes'] as const;
export type VariantName = (typeof VARIANTS)[number];

/** Options of the bench. */
export interface BenchOptions {
  readonly variants: readonly VariantName[];
  /** Names of workloads; empty for all. */
  readonly only: readonly string[];
  /** A commit to compare with; null for none. */
  readonly against: string | null;
  /** Whether responses are only compared, and nothing is measured. */
  readonly checkOnly: boolean;
  readonly rounds: number;
  /** Seconds of one variant in one round. */
  readonly seconds: number;
  /** Requests before anything is measured, and the most seconds that they may take. */
  readonly warmUp: { readonly count: number; readonly seconds: number };
  /** Cold requests to each variant, and the number of those before anything is measured. */
  readonly coldTimes: number;
  readonly coldWarmUp: number;
  /** Starts of each variant. */
  readonly starts: number;
  /** File for the figures. */
  readonly json: string | null;
}

const FULL = {
  rounds: 5,
  seconds: 2,
  warmUp: { count: 10_000, seconds: 45 },
  coldTimes: 40,
  coldWarmUp: 200,
  starts: 3,
};
const QUICK = {
  rounds: 3,
  seconds: 0.4,
  warmUp: { count: 2_000, seconds: 1 },
  coldTimes: 10,
  coldWarmUp: 20,
  starts: 1,
};

const USAGE = `npm run bench [-- OPTIONS]
  --only join,varied            these workloads alone
  --variants ours,by-hand       these variants alone: ${VARIANTS.join(', ')}
  --quick                       three short rounds after hardly any warm-up
  --seconds N  --rounds N       of each turn; of each workload
  --warm-up N                   requests before each workload, without a limit in seconds
  --against REV                 this product beside itself at another commit
  --check                       only compares the responses
  --json FILE                   writes all samples
docs/performance.md, section 1, says how it is read.`;

/** Reads the command line. Ends the process after `--help`, and with 2 for anything invalid. */
export function readOptions(): BenchOptions {
  try {
    const { help, ...values } = readValues();
    if (!help) return optionsOf(values);
    console.log(USAGE);
    process.exit();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message.split('. ')[0] : error}.\n${USAGE}`);
    process.exit(2);
  }
}

function readValues() {
  return parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      only: { type: 'string' },
      variants: { type: 'string' },
      against: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      'warm-up': { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

function optionsOf(values: Omit<ReturnType<typeof readValues>, 'help'>): BenchOptions {
  const base = values.quick ? QUICK : FULL;
  const usual = values.against === undefined ? VARIANTS : (['ours'] as const);
  const warmUp = values['warm-up'];
  return {
    ...base,
    warmUp: warmUp === undefined ? base.warmUp : { count: numberIn('warm-up', warmUp), seconds: 3_600 },
    variants: values.variants?.split(',').map(variantName) ?? usual,
    only: values.only?.split(',') ?? [],
    against: values.against ?? null,
    checkOnly: values.check,
    seconds: numberIn('seconds', values.seconds ?? base.seconds),
    rounds: numberIn('rounds', values.rounds ?? base.rounds),
    json: values.json ?? null,
  };
}

function numberIn(name: string, value: string | number): number {
  const number = value === '' ? Number.NaN : Number(value);
  if (Number.isFinite(number)) return number;
  throw new Error(`--${name} takes a number`);
}

function variantName(name: string): VariantName {
  const known = VARIANTS.find((variant) => variant === name);
  if (known === undefined) throw new Error(`There is no variant ${name}: ${VARIANTS.join(', ')}`);
  return known;
}
