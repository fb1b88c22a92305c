import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { createChance } from '../../sim/chance.js';
import type { MeteredStack } from '../support/metered-stack.js';
import { queryBody, send } from '../support/send.js';
import { ALL_EDGES } from './edges.js';
import { wordsOf } from './words.js';
import { type Operation, writeOperation } from './write-operation.js';

/**
 * What no legal query may exceed. Stalls are in units of the calibrating work, about ten milliseconds each. The first
 * time a query is sent, the libraries parse and plan it in one turn.
 */
const BOUNDS = {
  firstStall: 25,
  stall: 12,
  bytes: 8 * 1024 * 1024,
  errors: 1_000,
  peakMb: 400,
} as const;

type Measure = keyof typeof BOUNDS;

/** The outcome of the queries. */
export interface Fuzzed {
  readonly answered: number;
  /** How many requests failed whole, by status and code. */
  readonly refused: ReadonlyMap<string, number>;
  /** The highest value of each measure. */
  readonly worst: Readonly<Record<Measure, number>>;
  /** Each query that exceeded a bound, printed whole. */
  readonly broken: readonly string[];
}

const SCHEMA = new URL('../../../schema/api.graphql', import.meta.url);
/** Queries between two calibrations. */
const BATCH = 50;

/** Sends `count` random queries, each twice, and measures the server meanwhile; a seed repeats them. */
export async function fuzz(stack: MeteredStack, seed: number, count: number): Promise<Fuzzed> {
  const { server, sandbox } = stack;
  const source = { schema: buildSchema(readFileSync(SCHEMA, 'utf8')), words: wordsOf(sandbox.world) };
  const chance = createChance(seed);
  const refused = new Map<string, number>();
  const worst: Record<Measure, number> = { firstStall: 0, stall: 0, bytes: 0, errors: 0, peakMb: 0 };
  const broken: string[] = [];
  let answered = 0;
  // Warms up the code, so that its compilation is not measured later.
  for (const edge of ALL_EDGES) await send(server.url, bodyOf(writeOperation(source, edge, chance.fork())));
  for (let started = 0; started < count; started += BATCH) {
    const base = await server.collect();
    const unitBefore = await server.calibrate();
    const seen: { operation: Operation; measured: Record<Measure, number> }[] = [];
    for (let index = started; index < Math.min(count, started + BATCH); index += 1) {
      const operation = writeOperation(source, ALL_EDGES[index % ALL_EDGES.length]!, chance.fork());
      const { status, code, ...measured } = await measure(stack, operation);
      measured.peakMb -= (base.heapBytes + base.outsideBytes) / 1e6;
      seen.push({ operation, measured });
      if (status === 200) answered += 1;
      else refused.set(`${status} ${code}`, (refused.get(`${status} ${code}`) ?? 0) + 1);
    }
    const unit = Math.max(unitBefore, await server.calibrate());
    for (const { operation, measured } of seen) {
      const inUnits = { ...measured, firstStall: measured.firstStall / unit, stall: measured.stall / unit };
      for (const name of Object.keys(BOUNDS) as Measure[]) {
        worst[name] = Math.max(worst[name], inUnits[name]);
        if (inUnits[name] > BOUNDS[name]) broken.push(print(name, inUnits[name], operation));
      }
    }
  }
  return { answered, refused, worst, broken };
}

interface Measured extends Record<Measure, number> {
  readonly status: number;
  readonly code: string;
}

/** Stalls are in milliseconds, and the peak includes what was in memory before. */
async function measure({ server }: MeteredStack, operation: Operation): Promise<Measured> {
  const sent = bodyOf(operation);
  await server.reset();
  await send(server.url, sent);
  const first = await server.read();
  await server.reset();
  const response = await send(server.url, sent);
  const again = await server.read();
  const { errors = [] } = JSON.parse(response.text) as { errors?: { extensions: { code: string } }[] };
  return {
    status: response.status,
    code: errors[0]?.extensions.code ?? '',
    firstStall: first.stallMs,
    stall: again.stallMs,
    bytes: response.bytes,
    errors: errors.length,
    peakMb: Math.max(peakOf(first), peakOf(again)),
  };
}

function bodyOf({ query, variables }: Operation): { readonly body: string } {
  return { body: queryBody(query, variables) };
}

function peakOf({ heapBytes, outsideBytes }: { heapBytes: number; outsideBytes: number }): number {
  return (heapBytes + outsideBytes) / 1e6;
}

function print(name: Measure, value: number, { edge, query, variables }: Operation): string {
  return `${name} ${value.toFixed(1)} exceeds ${BOUNDS[name]} (${edge}): ${JSON.stringify({ query, variables })}`;
}
