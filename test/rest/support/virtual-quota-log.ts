import type { Clock } from '../../../subgraphs/rest/ports/ports.js';
import { MemoryLog, type QuotaLog } from '../../../subgraphs/rest/ports/quota-log.js';

/** Does without Redis what the script does in Redis; a test compares the two. */
export interface VirtualQuotaLog extends QuotaLog {
  /** Loses everything, as at a flush or an empty restart. */
  flush(): void;
  /** The logs, by scope. */
  logs(): ReadonlyMap<string, MemoryLog>;
}

/** `clock` is that of the place where the logs are. */
export function createVirtualQuotaLog(clock: Pick<Clock, 'monotonicMs'>): VirtualQuotaLog {
  const logs = new Map<string, MemoryLog>();
  let epochs = 1;
  return {
    async change(scope, change) {
      const log = logs.get(scope) ?? new MemoryLog(clock);
      logs.set(scope, log);
      const epoch = `epoch ${epochs}`;
      const isOther = change.epoch != null && change.epoch !== epoch;
      return { ...log.change(isOther ? {} : change), epoch };
    },
    flush() {
      logs.clear();
      epochs += 1;
    },
    logs: () => logs,
  };
}
