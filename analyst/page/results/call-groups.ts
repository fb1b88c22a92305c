import type { Trace, UpstreamCall } from '../../../kernel/trace.js';

/** A call with its number in the trace. */
export interface NumberedCall {
  readonly number: number;
  readonly call: UpstreamCall;
}

/** The calls of one plan node to one path: shown as one row each, or as one expandable row. */
export interface CallGroup {
  readonly key: string;
  readonly calls: readonly NumberedCall[];
  /** Durations in milliseconds. */
  readonly spread: readonly [min: number, median: number, max: number];
}

/** Groups of at least this size are one row. */
export const MIN_GROUP = 21;

/** Groups the calls, in the order in which they started. */
export function groupCalls({ calls }: Pick<Trace, 'calls'>): CallGroup[] {
  const groups = new Map<string, NumberedCall[]>();
  calls.forEach((call, index) => {
    const key = `${call.service} ${call.method} ${call.path} ${call.planNode}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push({ number: index + 1, call });
  });
  return [...groups].map(([key, group]) => ({ key, calls: group, spread: spreadOf(group) }));
}

function spreadOf(group: readonly NumberedCall[]): CallGroup['spread'] {
  const sorted = group.map(({ call }) => call.ms).sort((one, other) => one - other);
  return [sorted[0] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
}
