import type { QuotaStore } from '../../../subgraphs/rest/ports/ports.js';
import type { Landing, WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { createSharedLedger, type QuotaLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';
import { createVirtualQuotaStore } from './virtual-quota-store.js';

export const SECOND = 1_000;
/** The scope that all replicas count together. */
export const SCOPE: WindowScope = { kind: 'window', name: 'search', limit: 60, windowMs: 60 * SECOND };

/** The store behind a line that a test can cut. */
export function cuttable(store: QuotaStore): QuotaStore & Replica['line'] {
  const line = {
    cut: false,
    late: 0,
    commands: 0,
    compareAndSet: async (...change: Parameters<QuotaStore['compareAndSet']>) => {
      line.commands += 1;
      if (line.cut) throw new Error('away');
      if (line.late > 0) {
        line.late -= 1;
        // The store has executed the command, but its caller never learns.
        await store.compareAndSet(...change);
        throw new Error('late');
      }
      return store.compareAndSet(...change);
    },
  };
  return line;
}

/** One replica's ledger, and its line to the store that all of them share. */
interface Replica {
  readonly ledger: QuotaLedger;
  /** If `cut`, nothing comes through; the next `late` commands are executed without a reply. */
  readonly line: { cut: boolean; late: number; commands: number };
  /** Makes as many of `count` calls as are granted, each of which lands at once; returns how many. */
  spend(count: number): Promise<number>;
}

/** Makes one call of `replica`, which lands with what the service reported. */
export async function land(replica: Replica | undefined, id: string, said: Omit<Landing, 'id'>): Promise<void> {
  const account = replica?.ledger.open(SCOPE);
  await account?.take({ ids: [id], leaseMs: 10 * SECOND, headroom: 0 });
  await account?.land({ id, ...said });
}

/** Replicas that share their accounts in one store, each over a line that a test can cut. */
export async function openReplicas(count = 3) {
  const clock: VirtualClock = createVirtualClock();
  const store = createVirtualQuotaStore(() => clock.monotonicMs());
  const replicas = Array.from({ length: count }, (_, n): Replica => {
    const line = cuttable(store);
    const ledger = createSharedLedger({ store: line, clock, service: 'service', replica: `r${n}` });
    let ids = 0;
    const spend = async (wanted: number) => {
      const all = Array.from({ length: wanted }, () => {
        ids += 1;
        return `r${n}.${ids}`;
      });
      let spent = 0;
      for (let rest = all; ; ) {
        const { granted, reserved } = await ledger.open(SCOPE).take({ ids: rest, leaseMs: 10 * SECOND, headroom: 0 });
        for (const id of rest.slice(0, granted)) await ledger.open(SCOPE).land({ id, quota: null, blockMs: null });
        spent += granted;
        rest = rest.slice(granted, granted + reserved);
        if (granted === 0 || rest.length === 0) return spent;
      }
    };
    return { ledger, line, spend };
  });
  // Long enough for every replica to have shown up.
  await clock.advance(20 * SECOND);
  const spendAll = async (wanted: number) => {
    let sum = 0;
    for (const replica of replicas) sum += await replica.spend(wanted);
    return sum;
  };
  const cut = (is: boolean) => {
    for (const { line } of replicas) line.cut = is;
  };
  return {
    clock,
    store,
    replicas,
    spendAll,
    cut,
    local: () => replicas.filter(({ ledger }) => ledger.isLocalFallback).length,
  };
}
