import { isRecord } from '../../kernel/text.js';
import type { QuotaScope } from '../../subgraphs/rest/quota/scopes.js';
import { createUpstream } from '../../subgraphs/rest/stages/create-upstream.js';
import type { Dialect, UpstreamService } from '../../subgraphs/rest/upstream.js';
import type { Chance } from '../chance.js';
import { createKey } from '../rest/support/operation.js';
import { EPOCH_MS } from './epoch.js';
import type { Process, Scheduler } from './scheduler.js';
import type { Service } from './service.js';
import type { SharedStore } from './shared-store.js';
import { connectStore } from './store-link.js';
import { createWire, type WireWatch } from './wire.js';
import type { ServiceTraits, World } from './world.js';

/** A replica of the gateway: the toolkit with its own clocks, on the simulated wire and store. */
export interface Replica {
  readonly number: number;
  readonly startedMs: number;
  readonly process: Process;
  readonly upstream: UpstreamService;
  /** When its last pause ends: until then it is excused from being on time. */
  lastPauseEndsMs: number;
}

export interface ReplicaOptions {
  readonly number: number;
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly service: Service;
  readonly store: SharedStore | null;
  readonly watch: WireWatch;
}

export function startReplica(options: ReplicaOptions): Replica {
  const { number, world, scheduler, chance, service, store, watch } = options;
  const startedMs = scheduler.nowMs;
  const process: Process = { name: `replica ${number}`, alive: true, pausedUntilMs: 0 };
  const monotonicFromMs = chance.between(0, 1e6);
  const skewMs = chance.between(-5_000, 5_000);
  const wallMs = () => EPOCH_MS + scheduler.nowMs + skewMs;
  const { latencyMs } = world.service;
  const texts = store === null ? null : connectStore({ store, process, scheduler, chance });
  const upstream = createUpstream(
    {
      service: 'volunteering',
      baseUrl: 'http://service.test',
      mode: 'real',
      operatorKey: createKey('operator'),
      dialect: dialectOf(world.service),
      onCall: () => {},
      onDrift: () => {},
    },
    {
      clock: {
        monotonicMs: () => scheduler.nowMs - startedMs + monotonicFromMs,
        soon: (task) => task(),
        wallMs,
        after: (ms, run) => scheduler.after(ms, { name: 'wakes', of: process, run }),
      },
      random: () => chance.next(),
      transport: createWire({ process, scheduler, chance, service, latencyMs, wallMs, watch }),
      sharedStore: texts?.texts ?? null,
      privateStore: texts?.texts ?? null,
      versionStore: texts?.texts ?? null,
      sharedQuota: texts === null ? null : () => texts.quota,
    },
  );
  return { number, startedMs, process, upstream, lastPauseEndsMs: 0 };
}

/** One counter for all routes of a key, as for volunteering, and the proxy's pace if there is one. */
function dialectOf({ limit, documented, proxy }: ServiceTraits): Dialect {
  return {
    headers: (secret) => ({ 'x-api-key': secret }),
    isAmbiguousRefusal: ({ status }) => status === 401,
    // The simulated service knows every record, so that nothing it sends says otherwise.
    readFailure: ({ json }) => (isRecord(json) && json['code'] === 'NOT_FOUND' ? 'unknown' : undefined),
    scopes: (_request, fingerprint) => {
      const window: QuotaScope = {
        kind: 'window',
        name: fingerprint,
        limit: documented ? limit : null,
        windowMs: 60_000,
      };
      return proxy ? [window, { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 }] : [window];
    },
  };
}
