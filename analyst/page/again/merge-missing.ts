import { isList, isObject, type Json, type JsonObject } from '../../../rows/path.js';

/** The rows cannot be matched: they have changed, or have no value to tell them apart by. */
const OTHERS = Symbol('others');

/**
 * The data with what was missing filled in. Null if the rows of a list have changed or cannot be told apart, so that
 * nothing may be added to them.
 */
export function mergeMissing(before: JsonObject, fresh: JsonObject): JsonObject | null {
  const merged = merge(before, fresh);
  return merged !== OTHERS && isObject(merged) ? merged : null;
}

function merge(before: Json, fresh: Json): Json | typeof OTHERS {
  if (before === null) return fresh;
  if (isList(before) && isList(fresh)) return mergeRows(before, fresh);
  if (!isObject(before) || !isObject(fresh)) return before;
  const merged: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(fresh)) {
    const next = merge(before[key] ?? null, value);
    if (next === OTHERS) return OTHERS;
    merged[key] = next;
  }
  return merged;
}

function mergeRows(before: readonly Json[], fresh: readonly Json[]): Json | typeof OTHERS {
  if (before.length !== fresh.length) return OTHERS;
  const merged: Json[] = [];
  for (const [index, row] of before.entries()) {
    const other = fresh[index] ?? null;
    if (isObject(row) && isObject(other) && compare(row, other) !== 'same') return OTHERS;
    const next = merge(row, other);
    if (next === OTHERS) return OTHERS;
    merged.push(next);
  }
  return merged;
}

/** Whether two rows agree in the plain values that both have. */
function compare(row: JsonObject, other: JsonObject): 'same' | 'different' | 'unknown' {
  let result: 'same' | 'unknown' = 'unknown';
  for (const [key, value] of Object.entries(other)) {
    const own = row[key] ?? null;
    if (own === null || value === null || isList(own) || isList(value)) continue;
    const compared = isObject(own) && isObject(value) ? compare(own, value) : own === value ? 'same' : 'different';
    if (compared === 'different') return 'different';
    if (compared === 'same') result = 'same';
  }
  return result;
}
