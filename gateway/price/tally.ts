import type { Price, PricedCalls } from '../../kernel/price.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { FieldCalls } from './price-fields.js';

/** What is left of a quota. */
export interface QuotaOfScope {
  readonly service: string;
  readonly scope: string;
  readonly remaining: number;
}

/** What a dry run has looked up. */
export interface LookedUp {
  readonly scopes: readonly {
    readonly service: string;
    readonly scope: string;
    readonly estimated: number;
    readonly kept: number;
  }[];
  /** Look-ups of what could have been cached, and was not. */
  readonly missed: number;
}

/** Counts the calls of a dry run; look-ups that would share one call count once. */
export interface Tally {
  record(call: UpstreamCall): void;
  /** What has been looked up so far. */
  lookedUp(): LookedUp;
  /** Adds calls that may follow from those looked up. */
  add(calls: readonly FieldCalls[]): void;
  /** The fields and routes that cost most, the dearest first. */
  dearest(): readonly FieldCalls[];
  price(quotas: readonly QuotaOfScope[]): Price;
}

/** How many causes are named to a caller whose operation costs too much. */
const DEAREST = 5;

/** Creates an empty tally. */
export function createTally(): Tally {
  const seen = new Set<string>();
  const scopes = new Map<string, { service: string; scope: string; estimated: number; kept: number }>();
  const causes = new Map<string, FieldCalls>();
  let certain = 0;
  let missed = 0;

  function scopeOf(service: string, scope: string) {
    const name = `${service} ${scope}`;
    const found = scopes.get(name) ?? { service, scope, estimated: 0, kept: 0 };
    scopes.set(name, found);
    return found;
  }

  function add({ cause, service, scope, calls }: FieldCalls): void {
    scopeOf(service, scope).estimated += calls;
    const name = `${service} ${cause}`;
    causes.set(name, { cause, service, scope, calls: calls + (causes.get(name)?.calls ?? 0) });
  }

  return {
    record({ service, method, path, planNode, cache, priced }) {
      const { scope = '', coalescingKey = null } = priced ?? {};
      if (coalescingKey !== null && seen.has(`${service} ${coalescingKey}`)) return;
      if (coalescingKey !== null) seen.add(`${service} ${coalescingKey}`);
      if (cache === 'HIT') scopeOf(service, scope).kept += 1;
      if (cache === 'HIT') return;
      certain += 1;
      if (cache === 'MISS') missed += 1;
      add({ cause: [planNode, `${method} ${path}`].filter(Boolean).join(' '), service, scope, calls: 1 });
    },
    lookedUp: () => ({ scopes: [...scopes.values()].map((scope) => ({ ...scope })), missed }),
    add: (calls) => calls.forEach(add),
    dearest: () => [...causes.values()].sort((a, b) => b.calls - a.calls).slice(0, DEAREST),
    price(quotas) {
      const leftOf = (counter: { service: string; scope: string }) =>
        quotas.find(({ service, scope }) => service === counter.service && scope === counter.scope)?.remaining ?? null;
      const calls: PricedCalls[] = [...scopes.values()].map((one) => ({ ...one, quotaLeft: leftOf(one) }));
      return { calls, total: calls.reduce((sum, { estimated }) => sum + estimated, 0), certain };
    },
  };
}
