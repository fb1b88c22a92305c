import { Counter, type Registry } from 'prom-client';

/** Metrics of the log. */
export interface LogMetrics {
  /** Reads how many lines were dropped so far whenever metrics are read. */
  watchLog(dropped: () => number): void;
}

/** Creates the metrics of the log in these registries. */
export function createLogMetrics(registers: Registry[]): LogMetrics {
  return {
    watchLog(dropped) {
      const lines: Counter = new Counter({
        name: 'passerelle_log_lines_dropped_total',
        help: 'Lines of the log that were dropped because standard output was full, slow or not read.',
        registers,
        collect() {
          lines.reset();
          lines.inc(dropped());
        },
      });
    },
  };
}
