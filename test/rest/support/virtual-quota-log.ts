import type { Clock } from '../../../subgraphs/rest/ports/ports.js';
import { type LogChange, MemoryLog, type QuotaLog } from '../../../subgraphs/rest/ports/quota-log.js';

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
      return { ...log.change(isOther ? { countsMs: change.countsMs } : asHeard(log, change)), epoch };
    },
    flush() {
      logs.clear();
      epochs += 1;
    },
    logs: () => logs,
  };
}

/** A shared log goes by what was heard there, however long ago its caller looked. */
function asHeard(log: MemoryLog, change: LogChange): LogChange {
  const { countsMs, entries, heard, wanted } = change;
  if (wanted === undefined) return change;
  const { limit, remaining } = log.change({ countsMs, ...(entries && { entries }), ...(heard && { heard }) });
  return { countsMs, wanted: { ...wanted, limit: limit ?? wanted.limit, remaining: remaining ?? wanted.remaining } };
}
