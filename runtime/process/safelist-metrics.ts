import { Counter, Gauge, type Registry } from 'prom-client';

/** What is counted of a safelist. */
export interface SafelistMetrics {
  /** The safelist that this process enforces. */
  safelist(list: { readonly hash: string; readonly mode: string; readonly operations: number }): void;
  /** What it said of an operation, from a closed list of words. */
  safelisted(outcome: string): void;
}

/** The metrics of a safelist in these registries. */
export function createSafelistMetrics(registers: Registry[]): SafelistMetrics {
  const decisions = new Counter({
    name: 'passerelle_safelist_decisions_total',
    help: 'Operations by what the safelist said of them: allowed, refused, or logged and run.',
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
