/**
 * `npm run bench:grant [-- --rounds 3000]`: what a permit costs when replicas share their quota. Starts a Redis of its
 * own on this machine, and alternates between taking a permit and a bare PING, over the same connection, one at a time.
 * Prints the median and 99th percentile of both and their ratio, and the size of a snapshot when windows are spent
 * evenly.
 */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { Redis } from 'ioredis';
import { createRedisGuard } from '../../runtime/stores/redis.js';
import { readArguments } from '../../scripts/arguments.mjs';
import { createRedisQuotaStore, systemClock } from '../../subgraphs/rest/ports/ports.js';
import { windowRules } from '../../subgraphs/rest/quota/account-rules.js';
import { createSharedLedger } from '../../subgraphs/rest/quota/ledger.js';
import { startRedis } from '../auth/support/redis.js';

const WINDOW_MS = 60_000;
/** Permits per key before the next key is used: half of a window. */
const PER_KEY = 300;
const WARM_UP = 1000;

const { rounds } = readArguments('npm run bench:grant [-- --rounds N]', { rounds: 3000 });
await measureLatency(rounds);
for (const limit of [60, 600, 1000])
  console.log(`limit ${limit}: ${snapshotBytes(limit, 1)}, ${snapshotBytes(limit, 3)}`);

async function measureLatency(rounds: number): Promise<void> {
  const server = await startRedis();
  if (server === null) return;
  const client = new Redis(server.url);
  await client.ping();
  const silent = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };
  const store = createRedisQuotaStore(createRedisGuard(client, silent), randomUUID);
  const ledger = createSharedLedger({ store, clock: systemClock, service: 'bench', replica: 'r0' });
  const grants: number[] = [];
  const pings: number[] = [];
  let refused = 0;
  let local = 0;
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    const scope = {
      kind: 'window',
      name: `key ${Math.floor(round / PER_KEY)}`,
      limit: 600,
      windowMs: WINDOW_MS,
    } as const;
    const account = ledger.open(scope);
    const id = `r0.${round}`;
    const startMs = performance.now();
    const { granted } = await account.take({ ids: [id], leaseMs: 25_000, headroom: 0 });
    const grantedMs = performance.now();
    await client.ping();
    const pingedMs = performance.now();
    await account.land({
      id,
      quota: { limit: 600, remaining: 599 - (round % PER_KEY), resetSeconds: 50 },
      blockMs: null,
    });
    if (granted !== 1) refused += 1;
    if (ledger.isLocalFallback) local += 1;
    if (round < WARM_UP) continue;
    grants.push(grantedMs - startMs);
    pings.push(pingedMs - grantedMs);
  }
  ledger.close();
  client.disconnect();
  await server.close();
  console.log(`${rounds} rounds, ${refused} refused, ${local} counted locally, load ${loadavg()[0]?.toFixed(1)}`);
  for (const share of [0.5, 0.99]) {
    const [grant, ping] = [quantile(grants, share), quantile(pings, share)];
    console.log(
      `p${share * 100}: permit ${grant.toFixed(2)} ms, PING ${ping.toFixed(2)} ms, ${(grant / ping).toFixed(1)} times`,
    );
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** The size of an account whose whole limit was spent evenly over a window by this many replicas. */
function snapshotBytes(limit: number, replicas: number): string {
  const rules = windowRules({ kind: 'window', name: 'size', limit, windowMs: WINDOW_MS });
  let account = rules.empty;
  for (let call = 0; call < limit; call += 1) {
    const nowMs = (call * WINDOW_MS) / limit;
    const id = `${(10 ** 10 + (call % replicas)).toString(36)}.${call.toString(36)}`;
    [account] = rules.take(account, { ids: [id], leaseMs: 25_000, headroom: 0 }, { kind: 'shared', nowMs });
    account = rules.land(account, { id, quota: null, blockMs: null }, nowMs);
  }
  return `${(rules.write(account, WINDOW_MS).length / 1000).toFixed(1)} kB by ${replicas}`;
}
