import { Secret } from '../../../runtime/credentials/secret.js';
import { connectRedis, createRedisGuard, createRedisLease } from '../../../runtime/stores/redis.js';
import { createLines } from './lines.js';

/** A process that gets the lease, reports that, and works until it is killed: `lease-holder.ts <Redis> <name> <ms>`. */
const [url = '', name = '', leaseMs = ''] = process.argv.slice(2);
const { log } = createLines();
const client = connectRedis({ url: new Secret(url), prefix: 'passerelle' }, log, {
  enableOfflineQueue: false,
  commandTimeout: undefined,
});
await new Promise((resolve) => client.once('ready', resolve));
const inTurn = createRedisLease({ redis: createRedisGuard(client, log), name, leaseMs: Number(leaseMs) });
await inTurn(() => {
  process.send?.('at work');
  return new Promise(() => {});
}, new AbortController().signal);
