import { isList, isObject, type Json, type Step } from './path.js';

/** An object above the rows, whose values every row repeats; the last level is the row itself. */
export interface Level {
  /** Name of the list or field; null for the row. */
  readonly label: string | null;
  /** Keys from this object to the part that belongs to the levels below and has no columns here. */
  readonly leaveOut: readonly string[];
}

/** Keys of the rows of a connection, which also has counts and cursors, and is not a parent with values. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set(['nodes', 'edges']);

/** Whether the object at `steps[from - 1]` is a level: a root field that leads to a list, or an item. */
function isLevel(steps: readonly Step[], from: number): boolean {
  const step = steps[from];
  if (from === 0) return steps.length === 0;
  if (from === steps.length) return true;
  const before = steps[from - 1];
  if (before !== undefined && 'each' in before) return step !== undefined && 'key' in step;
  return from === 1 && step !== undefined && 'key' in step && !CONNECTION_KEYS.has(step.key);
}

/** The levels of a list, from the outermost to the row. */
export function levelsOf(steps: readonly Step[]): Level[] {
  const levels: Level[] = [];
  for (let from = 0; from <= steps.length; from += 1) {
    if (!isLevel(steps, from)) continue;
    const isRow = from === steps.length;
    levels.push({ label: isRow ? null : labelOf(steps.slice(0, from)), leaveOut: isRow ? [] : keysBelow(steps, from) });
  }
  return levels;
}

/** Keys down to the next list, without `nodes` or `edges`: the whole connection is excluded. */
function keysBelow(steps: readonly Step[], from: number): string[] {
  const keys: string[] = [];
  for (const step of steps.slice(from)) {
    if ('each' in step) break;
    keys.push(step.key);
  }
  return CONNECTION_KEYS.has(keys.at(-1) ?? '') ? keys.slice(0, -1) : keys;
}

function labelOf(steps: readonly Step[]): string {
  const keys = steps.flatMap((step) => ('key' in step ? [step.key] : []));
  const named = keys.filter((key) => !CONNECTION_KEYS.has(key) && key !== 'node');
  return named.at(-1) ?? keys.at(-1) ?? '';
}

/** Labels of the levels; the inner one of two equal names gets a number. */
export function labelsOf(levels: readonly Level[]): (string | null)[] {
  const seen = new Map<string, number>();
  return levels.map(({ label }) => {
    if (label === null) return null;
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    return times === 1 ? label : `${label}${times}`;
  });
}

/** Yields a chain of objects for each row: its levels from the outermost to the row. */
export function* walk(
  value: Json | undefined,
  steps: readonly Step[],
  from = 0,
  chain: readonly Json[] = [],
): Generator<Json[]> {
  const here = isLevel(steps, from) ? [...chain, value ?? null] : chain;
  const step = steps[from];
  if (step === undefined) yield [...here];
  else if ('key' in step) {
    if (isObject(value)) yield* walk(value[step.key], steps, from + 1, here);
  } else if (isList(value)) {
    const isRows = from + 1 === steps.length;
    for (const item of value) {
      // A generator per row would take half of the time.
      if (isRows) yield [...here, item];
      else yield* walk(item, steps, from + 1, here);
    }
  }
}
