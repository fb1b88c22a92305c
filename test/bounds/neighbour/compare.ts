import { setTimeout as pause } from 'node:timers/promises';
import type { MeteredStack } from '../support/metered-stack.js';
import { type Neighbourhood, type SmallQuestion, startNeighbour } from '../support/neighbour.js';
import { type Noise, startNoisyCaller } from './noisy-caller.js';

/** Callers who each ask small questions, one after the other. */
const NEIGHBOURS = 8;
/** Of the one caller beside them, whatever they ask. */
const CONNECTIONS = 4;
const ROUNDS = 5;

/** What the neighbours saw of their own questions. */
export interface Phase {
  readonly asked: number;
  readonly wrong: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The same neighbours beside a caller who asks small questions too, and beside one who asks the worst. */
export interface Comparison {
  readonly quiet: Phase;
  readonly noisy: Phase;
  /** How many times as long the slowest hundredth took beside the noise: the middle one of all rounds. */
  readonly ratio: number;
  readonly noise: Noise;
}

/** What the one caller asks, and for how long. */
export interface Plan {
  readonly bodies: readonly string[];
  readonly seconds: number;
}

/**
 * Lets the neighbours ask beside an ordinary caller and beside the noise in turns, so that whatever else the machine
 * does meets both. The server is as busy in both: what differs is whose work it does.
 */
export async function compare(
  { server }: MeteredStack,
  questions: readonly SmallQuestion[],
  { bodies, seconds }: Plan,
): Promise<Comparison> {
  const ordinary = questions.map(({ body }) => body);
  const beside = (caller: readonly string[]) => ask(server.url, questions, caller, (seconds * 1_000) / ROUNDS);
  // Compiled, planned and kept before it counts.
  await beside(ordinary);
  await beside(bodies);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ quiet: await beside(ordinary), noisy: await beside(bodies) });
  }
  const ratios = rounds.map(({ quiet, noisy }) => summed(noisy.neighbours).p99Ms / summed(quiet.neighbours).p99Ms);
  return {
    quiet: summed(rounds.flatMap(({ quiet }) => quiet.neighbours)),
    noisy: summed(rounds.flatMap(({ noisy }) => noisy.neighbours)),
    ratio: ratios.sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN,
    noise: {
      answered: rounds.reduce((sum, { noisy }) => sum + noisy.noise.answered, 0),
      bytes: rounds.reduce((sum, { noisy }) => sum + noisy.noise.bytes, 0),
    },
  };
}

async function ask(url: string, questions: readonly SmallQuestion[], caller: readonly string[], ms: number) {
  const stopCaller = startNoisyCaller(url, caller, CONNECTIONS);
  const stops = Array.from({ length: NEIGHBOURS }, () => startNeighbour(url, questions));
  await pause(ms);
  const neighbours = await Promise.all(stops.map((stop) => stop()));
  return { neighbours, noise: await stopCaller() };
}

function summed(neighbours: readonly Neighbourhood[]): Phase {
  const waits = neighbours.flatMap((one) => one.waits).sort((a, b) => a - b);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  return {
    asked: waits.length,
    wrong: neighbours.flatMap(({ wrong }) => wrong),
    medianMs: at(0.5),
    p99Ms: at(0.99),
  };
}
