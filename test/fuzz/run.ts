import { Agent, request } from 'undici';
import type { Sandbox } from '../../sandbox/index.js';
import { createChance } from './chance.js';
import { type FuzzInput, inventInput } from './inputs.js';

/** Requests at once: the order of their ends is not the seed's, but each of them is. */
const AT_ONCE = 8;

/** Requests between two calibrations. */
const CALIBRATED_EVERY = 25;

/**
 * A request hangs beyond so many pieces of the calibrating work, of about ten milliseconds on a quiet machine: a second
 * there, and more where other processes take the cores.
 */
export const HANG_PIECES = 100;

/** A request whose response is not what any caller may get. */
export interface Finding {
  readonly seed: number;
  readonly problem: string;
  readonly input: string;
}

/** What came of a fuzz run. */
export interface FuzzResult {
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly findings: readonly Finding[];
  readonly slowestMs: number;
  /** The slowest, in pieces of the calibrating work at its slowest in this run. */
  readonly slowestPieces: number;
}

/** Sends so many inputs, each of a seed of its own from `first` on, and looks at every response. */
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

/** Milliseconds that the calibrating work takes now: rows written as JSON, and read again. */
function calibrate(): number {
  const startedMs = performance.now();
  for (let round = 0; round < 3; round += 1) JSON.parse(JSON.stringify(ROWS));
  return performance.now() - startedMs;
}

/** What only the operator, the platform and the processes know. */
function secretsOf({ keys }: Sandbox): string[] {
  return [keys.workStudy.operator, keys.volunteering.operator, keys.waste.client.secret, keys.waste.token];
}

function show({ method, path, headers, body }: FuzzInput): string {
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body?.toString().slice(0, 300) ?? ''}`;
}
