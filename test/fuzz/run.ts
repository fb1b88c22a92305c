import { Agent, request } from 'undici';
import type { Sandbox } from '../../sandbox/index.js';
import { createChance } from '../chance.js';
import { type FuzzInput, inventInput } from './inputs.js';

/** Concurrent requests: the seed determines each of them, but not the order in which they end. */
const AT_ONCE = 8;

/** Requests between two calibrations. */
const CALIBRATED_EVERY = 25;

/**
 * A request counts as hanging beyond this many times the calibrating work, which takes about ten milliseconds on a
 * quiet machine: a second there, and more if other processes use the cores.
 */
export const HANG_PIECES = 100;

/** A request with a response that no caller may get. */
export interface Finding {
  readonly seed: number;
  readonly problem: string;
  readonly input: string;
}

/** The result of a fuzz run. */
export interface FuzzResult {
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly findings: readonly Finding[];
  readonly slowestMs: number;
  /** The slowest, in units of the slowest calibration of this run. */
  readonly slowestPieces: number;
}

/** Sends `count` inputs, with seeds from `first` on, and checks every response. */
export async function fuzzEndpoint(
  url: string,
  sandbox: Sandbox,
  { first = 1, count = 200 } = {},
): Promise<FuzzResult> {
  const agent = new Agent({ connections: AT_ONCE, bodyTimeout: 60_000, headersTimeout: 60_000 });
  const secrets = secretsOf(sandbox);
  const statuses = new Map<number, number>();
  const findings: Finding[] = [];
  let slowestMs = 0;
  let pieceMs = calibrate();
  let seed = first;

  async function send(input: FuzzInput): Promise<string | null> {
    const { method, path, headers, body } = input;
    const startedMs = performance.now();
    const response = await request(url + path, { method: method as 'GET', headers, body, dispatcher: agent });
    const text = await response.body.text();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    const { statusCode: status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 500 || text.includes('"INTERNAL"')) return `status ${status}: ${text.slice(0, 200)}`;
    const shown = text + JSON.stringify(response.headers);
    if (secrets.some((secret) => shown.includes(secret))) return 'a secret';
    return /\bat .*\.[jt]s:\d+|node_modules\//.test(text) ? 'a stack trace' : null;
  }

  async function work(): Promise<void> {
    while (seed < first + count) {
      const own = seed;
      seed += 1;
      if (own % CALIBRATED_EVERY === 0) pieceMs = Math.max(pieceMs, calibrate());
      const input = inventInput(createChance(own));
      const problem = await send(input).catch((error: unknown) => `no response: ${String(error)}`);
      if (problem !== null) findings.push({ seed: own, problem, input: show(input) });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await agent.close();
  return { statuses, findings, slowestMs, slowestPieces: slowestMs / pieceMs };
}

const ROWS = Array.from({ length: 4_000 }, (_, index) => ({
  id: `row-${index}`,
  city: 'Saint-Étienne',
  at: [index, 1 / 7],
}));

/** Milliseconds that the calibrating work takes now: rows are written as JSON and read again. */
function calibrate(): number {
  const startedMs = performance.now();
  for (let round = 0; round < 3; round += 1) JSON.parse(JSON.stringify(ROWS));
  return performance.now() - startedMs;
}

/** What only the operator, the platform and the processes may know. */
function secretsOf({ keys }: Sandbox): string[] {
  return [keys.workStudy.operator, keys.volunteering.operator, keys.waste.client.secret, keys.waste.token];
}

function show({ method, path, headers, body }: FuzzInput): string {
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body?.toString().slice(0, 300) ?? ''}`;
}
