import { isRouteScope } from '../../kernel/price.js';
import type { Needs } from './known-needs.js';
import type { FieldCalls } from './price-fields.js';
import type { LookedUp } from './tally.js';

/**
 * Prices of fields below missing values, made to add up to what the operation needed when it was last executed, less
 * what its dry run has already looked up. While all of that is fresh, only what is never cached is called again.
 */
export function fitToNeeds(
  below: readonly FieldCalls[],
  { scopes, missed }: LookedUp,
  needs: Needs,
  nowMs: number,
): FieldCalls[] {
  const counters = new Set([...below, ...scopes].map(counterOf));
  // Before it was stored is where the clock was set back.
  const isFresh = needs.freshFromMs <= nowMs && nowMs < needs.freshUntilMs && missed === 0;
  const left = new Map<string, number>();
  const add = (counter: string, calls: number) => left.set(counter, (left.get(counter) ?? 0) + calls);
  for (const { service, route, lookups, uncached } of needs.routes.values()) {
    const own = counterOf({ service, scope: route });
    add(counters.has(own) ? own : counterOf({ service, scope: '' }), isFresh ? uncached : lookups);
  }
  for (const scope of scopes) add(counterOf(scope), isFresh ? -scope.estimated : -scope.estimated - scope.kept);
  return [...counters].flatMap((counter) => {
    const fields = below.filter((field) => counterOf(field) === counter);
    return scaled(fields, Math.max(0, left.get(counter) ?? 0));
  });
}

/** All counters of a service that are not those of a route count as one. */
function counterOf({ service, scope }: Pick<FieldCalls, 'service' | 'scope'>): string {
  return isRouteScope(scope) ? `${service} ${scope}` : `${service} `;
}

/** The calls scaled to another sum, in the same proportions, in whole calls. */
function scaled(fields: readonly FieldCalls[], sum: number): FieldCalls[] {
  let before = fields.reduce((all, { calls }) => all + calls, 0);
  let left = sum;
  return fields.map((field) => {
    const calls = before === 0 ? 0 : Math.round((left * field.calls) / before);
    before -= field.calls;
    left -= calls;
    return { ...field, calls };
  });
}
