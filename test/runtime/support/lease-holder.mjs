import { Secret } from '../../../dist/runtime/credentials/secret.js';
import { connectRedis, createRedisGuard, createRedisLease } from '../../../dist/runtime/stores/redis.js';

/** Gets the lease, reports that, and works until it is killed: `lease-holder.mjs <Redis> <name> <ms>`. */
const [url = '', name = '', leaseMs = ''] = process.argv.slice(2);
const ignore = () => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
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
