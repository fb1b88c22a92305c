import { createLru } from '../lru.js';
import { createGate, type Gate, type GateOptions } from './gate.js';
import type { QuotaScope } from './scope.js';

/** One gate for each scope. */
export interface Gates {
  of(scope: QuotaScope): Gate;
}

/** As many scopes as the book remembers. A gate that is forgotten still serves those who wait at it. */
const MAX_GATES = 10_000;

export function createGates(options: Omit<GateOptions, 'scope'>): Gates {
  const gates = createLru<Gate>(MAX_GATES);
  return {
    of(scope) {
      const known = gates.get(scope.name);
      if (known !== undefined) return known;
      const gate = createGate({ ...options, scope });
      gates.set(scope.name, gate);
      return gate;
    },
  };
}
