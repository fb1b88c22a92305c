import type { TextStore } from '../../../runtime/stores/text-store.js';
import type { WatchCache } from '../../../schema/caches.js';
import type { Clock } from './clock.js';
import type { QuotaStore } from './quota-store.js';
import type { Random } from './random.js';
import type { Transport } from './transport.js';

/** Everything the toolkit takes from the outside world. The rest is pure computation, and can run in a simulation. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Slow tier of the responses that all callers share; null for memory alone. */
  readonly sharedStore: TextStore | null;
  /** Slow tier of the responses that belong to one key; null for memory alone. */
  readonly privateStore: TextStore | null;
  /** Quota accounts that all replicas share; null when this process is the only one. */
  readonly sharedQuota: QuotaStore | null;
  /** Called for each of this service's caches, for metrics. */
  readonly watchCache?: WatchCache;
}
