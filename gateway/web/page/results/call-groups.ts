import type { Trace, UpstreamCall } from '../../../../schema/trace.js';

export interface NumberedCall {
  readonly number: number;
  readonly call: UpstreamCall;
}

/** Calls of one plan node to one path: a row each, or, when they are many, one row to open. */
export interface CallGroup {
  readonly key: string;
  readonly calls: readonly NumberedCall[];
  /** Milliseconds of the quickest, the middle and the slowest. */
  readonly spread: readonly [min: number, median: number, max: number];
}

/** More calls of one kind than this become one row. */
export const GROUPED_FROM = 21;

/** The calls in the order they began, those of one kind together. */
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
