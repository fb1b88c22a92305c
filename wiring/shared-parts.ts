import { unwatched, type WatchCaches } from '../kernel/caches.js';
import type { Log, Tracing } from '../kernel/log.js';
import type { Credential } from '../kernel/operation.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import { createCredentialMinter, createRootKeys, type RootKeys } from '../runtime/credentials/credentials.js';
import { createMetrics, type Metrics } from '../runtime/process/metrics.js';
import { openStores, type Stores } from '../runtime/stores/text-store.js';
import type { Sandbox } from '../sandbox/index.js';

/** What the subgraphs of one process share. */
export interface SharedParts {
  readonly configuration: Configuration;
  readonly sandbox: Sandbox | null;
  readonly stores: Stores;
  readonly metrics: Metrics | null;
  readonly watchCaches: WatchCaches;
  readonly log: Log;
  /** Null when tracing is off. */
  readonly tracing: Tracing | null;
  readonly rootKeys: RootKeys;
  /** Warm-ups of the process's subgraphs, to be started once it is ready. */
  readonly warmUps: (() => Promise<void>)[];
  mintCredential(secret: string): Credential;
}

/** Opens the shared parts of one process; the caller closes `stores`. */
export function openSharedParts(
  configuration: Configuration,
  sandbox: Sandbox | null,
  log: Log,
  tracing: Tracing | null = null,
): SharedParts {
  const metrics = configuration.metricsPort === null ? null : createMetrics(configuration.role);
  const rootKeys = createRootKeys(configuration.sessionSecrets);
  const stores = openStores({ ...configuration, markKeys: rootKeys.derive('cache-entries'), log });
  const { redis } = stores;
  if (redis !== null) metrics?.watchStore(() => redis.reachable);
  return {
    configuration,
    sandbox,
    stores,
    metrics,
    watchCaches: metrics?.watchCaches ?? (() => unwatched),
    log,
    tracing,
    rootKeys,
    warmUps: [],
    mintCredential: createCredentialMinter(rootKeys),
  };
}
