import { isList, isObject, type Json, type JsonObject, readPath, type Step } from './path.js';

/** Why a list may lack rows, or its rows some of what they count, although its last page has been received. */
export type Lack = 'truncated' | 'notComplete';

/** How a file reports it. */
export const LACKS: Readonly<Record<Lack, string>> = {
  truncated: 'the list is truncated: its source may have more rows than these',
  notComplete: 'the list is not complete: its rows and counts are a lower bound',
};

/** What an object on the path to a list says is lacking, as connections, searches and counts do beside their rows. */
export function lackOf(data: JsonObject | null | undefined, path: string): Lack | null {
  const steps = readPath(path);
  const list = steps.findLastIndex((step) => 'each' in step);
  return lackAt(data ?? undefined, steps.slice(0, Math.max(0, list)), 0);
}

function lackAt(value: Json | undefined, steps: readonly Step[], at: number, around?: JsonObject): Lack | null {
  const step = steps[at];
  if (step === undefined) return null;
  if ('key' in step)
    return isObject(value) ? (ownLack(value, step.key, around) ?? lackAt(value[step.key], steps, at + 1, value)) : null;
  for (const item of isList(value) ? value : []) {
    const lack = lackAt(item, steps, at + 1);
    if (lack !== null) return lack;
  }
  return null;
}

/** Facets count what the list `around` them has: its `totalCount` is their total. */
function ownLack(object: JsonObject, key: string, around: JsonObject = {}): Lack | null {
  const { truncated, complete, counted, total = around['totalCount'], [`${key}Complete`]: ofList } = object;
  if (truncated === true) return 'truncated';
  const isLess = typeof counted === 'number' && typeof total === 'number' && counted < total;
  return complete === false || ofList === false || isLess ? 'notComplete' : null;
}
