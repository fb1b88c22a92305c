/**
 * `npm run bench:outage`: how much longer a response takes that is served stale while a service is down than a fresh
 * one, alternating in one run, so that a busy moment of the machine affects both. Exit code 1 if the slowest hundredth
 * is more than 5 ms slower in the middle round. Everything stays on this machine.
 */
import { request } from 'undici';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { createLog } from '../../runtime/process/logging.js';
import { variablesOf } from '../../sandbox/hints.js';
import { startSandbox } from '../../sandbox/index.js';
import { readArguments } from '../../scripts/arguments.mjs';
import { smallWorld } from '../reliability/support/small-world.js';

readArguments('npm run bench:outage', {});
const ROUNDS = 9;
const TIMES = 500;
const AT_ONCE = 4;
const LIMIT_MS = 5;
/**
 * Past the day for which reference data are fresh, and the second one, in which they are revalidated in the background.
 */
const THREE_DAYS_MS = 72 * 60 * 60_000;
const QUERY = '{ departements { codeInsee nom region { nom } } missionsLocales { nom } }';

const now = Date.now;
let shiftMs = 0;
// The wall clock determines the age of cache entries.
Date.now = () => now() + shiftMs;

const sandbox = await startSandbox({ world: smallWorld() });
const variables = { ...variablesOf(sandbox), PORT: '0', CACHE_DIR: 'off' };
const running = await start(
  readConfiguration('all', variables),
  createLog({ level: 'silent', pretty: false, into: process.stdout }),
);
try {
  await send('fresh');
  await sandbox.workStudy.stopListening();
  for (const kind of ['fresh', 'stale'] as const) await sendAll(kind);
  const slower: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [fresh, stale] = [await sendAll('fresh'), await sendAll('stale')];
    slower.push(at(stale, 0.99) - at(fresh, 0.99));
    console.log(`fresh ${summary(fresh)}   stale ${summary(stale)}`);
  }
  const median = at(
    slower.sort((one, other) => one - other),
    0.5,
  );
  console.log(
    `stale answers are ${median.toFixed(2)} ms slower (p99, the middle of ${ROUNDS} rounds; at most ${LIMIT_MS})`,
  );
  process.exitCode = median <= LIMIT_MS ? 0 : 1;
} finally {
  await running.close();
  await sandbox.close();
}

/** Milliseconds of each response, sorted. */
async function sendAll(kind: 'fresh' | 'stale'): Promise<readonly number[]> {
  shiftMs = kind === 'fresh' ? 0 : THREE_DAYS_MS;
  const waits: number[] = [];
  const client = async () => {
    while (waits.length < TIMES) waits.push(await send(kind));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return waits.sort((one, other) => one - other);
}

async function send(kind: 'fresh' | 'stale'): Promise<number> {
  const startedMs = performance.now();
  const { headers, body } = await request(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  });
  const text = await body.text();
  const waitedMs = performance.now() - startedMs;
  const isStale = String(headers['cache-status']).includes('detail=OUTAGE');
  if (text.includes('"errors"') || isStale !== (kind === 'stale'))
    throw new Error(`This is no ${kind} response: ${text}`);
  return waitedMs;
}

function summary(waits: readonly number[]): string {
  return `p50 ${at(waits, 0.5).toFixed(2)} ms, p99 ${at(waits, 0.99).toFixed(2)} ms`;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
