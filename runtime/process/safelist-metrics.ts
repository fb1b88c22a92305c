import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of a safelist. */
export interface SafelistMetrics {
  /** Records the safelist that this process uses. */
  safelist(list: { readonly hash: string; readonly mode: string; readonly operations: number }): void;
  /** Counts its decision on an operation, from a closed list of words. */
  safelisted(outcome: string): void;
}

/** Creates the metrics of a safelist in these registries. */
export function createSafelistMetrics(registers: Registry[]): SafelistMetrics {
  const decisions = new Counter({
    name: 'passerelle_safelist_decisions_total',
    help: 'Operations by the decision of the safelist: allowed, refused, or logged and run.',
    labelNames: ['outcome'],
    registers,
  });
  const operations = new Gauge({
    name: 'passerelle_safelist_operations',
    help: 'Operations on the safelist, by the SHA-256 of its manifest: replicas should agree.',
    labelNames: ['hash', 'mode'],
    registers,
  });
  return {
    safelist: (list) => operations.set({ hash: list.hash, mode: list.mode }, list.operations),
    safelisted: (outcome) => decisions.inc({ outcome }),
  };
}
