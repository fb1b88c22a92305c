import { setTimeout as pause } from 'node:timers/promises';
import type { MeteredStack } from '../support/metered-stack.js';
import { type Neighbourhood, type SmallOperation, startNeighbour } from '../support/neighbour.js';
import { workedBetween } from '../support/thread-clock.js';
import { type Noise, startNoisyCaller } from './noisy-caller.js';

/** Environment of a server on which each caller may have an address of their own, as on the internet. */
export const MANY_ADDRESSES = { TRUSTED_PROXIES: '127.0.0.1' };

/** Callers who send small queries, each one after the other: enough to keep the server busy. */
const NEIGHBOURS = 8;
/** Connections of the one caller beside them. */
const CONNECTIONS = 4;
const WARM_MS = 2_000;
/** Minimum responses to all neighbours in a phase. One stall delays all eight, more than a hundredth of these. */
const LEAST_ANSWERS = 300;
/** They continue for this much longer at a time until there are enough responses. */
const LONGER_MS = 100;

/** How the neighbours' own queries went; times are milliseconds that the server worked, for any caller. */
export interface Phase {
  readonly requests: number;
  readonly wrong: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
  /** How much of a core the server's main thread got: nearly all of it, unless other processes need the cores. */
  readonly share: number;
}

/** The same neighbours alone, and beside a caller who sends the worst operations. */
export interface Comparison {
  readonly alone: Phase;
  readonly beside: Phase;
  /** How many times as long their slowest hundredth took beside that caller: the median of the rounds. */
  readonly ratio: number;
  readonly noise: Noise;
}

/** What the one caller sends, and for how long in all; the neighbours are alone for at least a quarter of that. */
export interface Plan {
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly rounds: number;
  /** The limit for the ratio: rounds end once most are on one side of it. None by default. */
  readonly limit?: number;
}

/** Runs the neighbours in turn alone and beside the noisy caller. */
export async function compare(
  { server }: MeteredStack,
  operations: readonly SmallOperation[],
  { bodies, seconds, rounds: count, limit }: Plan,
): Promise<Comparison> {
  const roundMs = (seconds * 1_000) / count;
  const roundOf = async (ms: number, round: number) => ({
    alone: await send(server, operations, [], ms / 4),
    beside: await send(server, operations, turned(bodies, round * CONNECTIONS), ms),
  });
  // A warm-up: everything is compiled, planned and cached before it counts.
  await roundOf(Math.min(roundMs, WARM_MS), 0);
  const rounds: Awaited<ReturnType<typeof roundOf>>[] = [];
  const ratios: number[] = [];
  while (rounds.length < count && !isDecided(ratios, count, limit)) {
    const round = await roundOf(roundMs, rounds.length);
    rounds.push(round);
    ratios.push(summed([round.beside]).p99Ms / summed([round.alone]).p99Ms);
  }
  const noises = rounds.map(({ beside }) => beside.noise);
  return {
    alone: summed(rounds.map(({ alone }) => alone)),
    beside: summed(rounds.map(({ beside }) => beside)),
    ratio: ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN,
    noise: {
      answered: noises.reduce((sum, { answered }) => sum + answered, 0),
      bytes: noises.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}

/** Whether the median of `count` ratios is already certain to be below or above the limit. */
function isDecided(ratios: readonly number[], count: number, limit: number | undefined): boolean {
  if (limit === undefined) return false;
  const below = ratios.filter((ratio) => ratio < limit).length;
  return Math.max(below, ratios.length - below) > count / 2;
}

async function send(
  server: MeteredStack['server'],
  operations: readonly SmallOperation[],
  bodies: readonly string[],
  ms: number,
) {
  const { url } = server;
  await server.note();
  const connections = bodies.length === 0 ? 0 : CONNECTIONS;
  const stopCaller = startNoisyCaller(url, { bodies, headers: callerAt(NEIGHBOURS), connections });
  const neighbours: Neighbourhood[] = [];
  const count = () => neighbours.reduce((sum, { requests }) => sum + requests, 0);
  // On a busy machine it takes longer until there are enough responses.
  while (count() < LEAST_ANSWERS) {
    const stops = Array.from({ length: NEIGHBOURS }, (_, at) =>
      startNeighbour(url, operations, { headers: callerAt(at) }),
    );
    await pause(neighbours.length === 0 ? ms : LONGER_MS);
    neighbours.push(...(await Promise.all(stops.map((stop) => stop()))));
  }
  const noise = await stopCaller();
  const notes = await server.noted();
  const worked = workedBetween(notes);
  const [fromMs = 0, toMs = 0] = [notes[0], notes.at(-2)];
  const waits = neighbours.flatMap((one) => one.waits.map(({ sentMs, answeredMs }) => worked(sentMs, answeredMs)));
  const share = worked(fromMs, toMs) / (toMs - fromMs);
  return { waits, wrong: neighbours.flatMap(({ wrong }) => wrong), noise, share };
}

/** The same bodies from another one on: in a short round no connection gets beyond its first. */
function turned(bodies: readonly string[], by: number): readonly string[] {
  const first = by % bodies.length;
  return [...bodies.slice(first), ...bodies.slice(0, first)];
}

function callerAt(host: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `192.0.2.${host}` };
}

/** What was measured in one phase of one round. */
interface Seen {
  readonly waits: readonly number[];
  readonly share: number;
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
    share: seen.reduce((sum, { share }) => sum + share, 0) / seen.length,
  };
}
