import { setTimeout as pause } from 'node:timers/promises';
import type { MeteredStack } from '../support/metered-stack.js';
import { type Neighbourhood, type SmallOperation, startNeighbour } from '../support/neighbour.js';
import { workedBetween } from '../support/thread-clock.js';
import { type Noise, startNoisyCaller } from './noisy-caller.js';

/** Callers who each ask small queries, one after the other: enough to keep the server busy on their own. */
const NEIGHBOURS = 8;
/** Of the one caller beside them, whatever they ask. */
const CONNECTIONS = 4;
const ROUNDS = 5;
/** Of all neighbours in one round. */
const LEAST_ANSWERS = 1_000;

/** What the neighbours saw of their own queries; milliseconds that the server worked meanwhile, for whomever. */
export interface Phase {
  readonly requests: number;
  readonly wrong: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** How many times as long the slowest hundredth took beside the noise: the middle one of all rounds. */
export interface Ratios {
  /** As beside nobody: what is promised. */
  readonly toQuiet: number;
  /** As beside a caller who asks small queries on as many connections: how much of it is due to what the noisy one asks. */
  readonly toOrdinary: number;
}

/** The same neighbours alone, beside a caller who asks small queries too, and beside one who asks the worst. */
export interface Comparison {
  readonly phases: Readonly<Record<keyof Bodies, Phase>>;
  readonly ratios: Ratios;
  /** The slowest hundredth beside the noise, in pieces of the calibrating work. */
  readonly noisyPieces: number;
  readonly noise: Noise;
}

/** What the one caller asks, and for how long beside each kind of caller. */
export interface Plan {
  readonly bodies: readonly string[];
  readonly seconds: number;
}

/** What the caller asks in each phase. */
interface Bodies {
  readonly quiet: readonly string[];
  readonly ordinary: readonly string[];
  readonly noisy: readonly string[];
}

/** Lets the neighbours ask alone, beside an ordinary caller and beside the noise in turns. */
export async function compare(
  { server }: MeteredStack,
  operations: readonly SmallOperation[],
  { bodies, seconds }: Plan,
): Promise<Comparison> {
  const callers: Bodies = { quiet: [], ordinary: operations.map(({ body }) => body), noisy: bodies };
  const roundMs = (seconds * 1_000) / ROUNDS;
  const beside = (caller: readonly string[]) => send(server, operations, caller, roundMs);
  const roundOf = async () => ({
    quiet: await beside(callers.quiet),
    ordinary: await beside(callers.ordinary),
    noisy: await beside(callers.noisy),
  });
  // Compiled, planned and kept before it counts.
  await beside(callers.ordinary);
  await beside(callers.noisy);
  const unitBefore = await server.calibrate();
  const rounds: Awaited<ReturnType<typeof roundOf>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await roundOf());
  const phaseOf = (name: keyof Bodies) => summed(rounds.map((round) => round[name]));
  const ratioTo = (name: keyof Bodies) =>
    median(rounds.map((round) => summed([round.noisy]).p99Ms / summed([round[name]]).p99Ms));
  const noisy = phaseOf('noisy');
  // A machine that became slower meanwhile made both slower.
  const unit = Math.max(unitBefore, await server.calibrate());
  return {
    phases: { quiet: phaseOf('quiet'), ordinary: phaseOf('ordinary'), noisy },
    noisyPieces: noisy.p99Ms / unit,
    ratios: { toOrdinary: ratioTo('ordinary'), toQuiet: ratioTo('quiet') },
    noise: {
      answered: rounds.reduce((sum, { noisy }) => sum + noisy.noise.answered, 0),
      bytes: rounds.reduce((sum, { noisy }) => sum + noisy.noise.bytes, 0),
    },
  };
}

async function send(
  server: MeteredStack['server'],
  operations: readonly SmallOperation[],
  caller: readonly string[],
  ms: number,
) {
  const { url } = server;
  await server.note();
  const stopCaller = startNoisyCaller(url, caller, caller.length === 0 ? 0 : CONNECTIONS);
  const neighbours: Neighbourhood[] = [];
  const count = () => neighbours.reduce((sum, { requests }) => sum + requests, 0);
  // On a busy machine it takes longer until a hundredth of all answers is more than one pause of the garbage collector.
  while (count() < LEAST_ANSWERS) {
    const stops = Array.from({ length: NEIGHBOURS }, () => startNeighbour(url, operations));
    await pause(ms);
    neighbours.push(...(await Promise.all(stops.map((stop) => stop()))));
  }
  const noise = await stopCaller();
  const worked = workedBetween(await server.noted());
  const waits = neighbours.flatMap((one) => one.waits.map(({ sentMs, answeredMs }) => worked(sentMs, answeredMs)));
  return { waits, wrong: neighbours.flatMap(({ wrong }) => wrong), noise };
}

/** What was seen in one phase of one round. */
interface Seen {
  readonly waits: readonly number[];
  readonly wrong: readonly string[];
}

function summed(seen: readonly Seen[]): Phase {
  const waits = seen.flatMap((one) => one.waits).sort((a, b) => a - b);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  return {
    requests: waits.length,
    wrong: seen.flatMap(({ wrong }) => wrong),
    medianMs: at(0.5),
    p99Ms: at(0.99),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
