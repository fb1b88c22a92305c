import type { QuotaStore } from '../../../subgraphs/rest/ports/ports.js';

/** Does without Redis what the script does in Redis; a test compares the two. */
export interface VirtualQuotaStore extends QuotaStore {
  /** Loses everything, as at a flush or an empty restart. */
  flush(): void;
  /** Loses everything but its epoch, as at an eviction. */
  evict(): void;
  /** Its values, by service and key. */
  values(): ReadonlyMap<string, { readonly value: string; readonly atMs: number }>;
}

/** `now` is the clock of the place where the values are stored. */
export function createVirtualQuotaStore(now: () => number): VirtualQuotaStore {
  const values = new Map<string, { version: string; value: string; atMs: number }>();
  let epochs = 1;
  return {
    async compareAndSet(service, name, { epoch: known, version, next }) {
      const key = `${service} ${name}`;
      const epoch = `epoch ${epochs}`;
      const held = values.get(key) ?? { version: '', value: '', atMs: now() };
      if (held.version !== version || (known !== null && known !== epoch)) {
        return { epoch, version: held.version, value: held.value, ageMs: now() - held.atMs };
      }
      if (next !== null) values.set(key, { ...next, atMs: now() });
      return { epoch, version: next?.version ?? version, value: '', ageMs: 0 };
    },
    flush() {
      values.clear();
      epochs += 1;
    },
    evict: () => values.clear(),
    values: () => values,
  };
}
