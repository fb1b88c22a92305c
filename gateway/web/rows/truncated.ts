import { isList, isObject, type Json, type JsonObject, readPath, type Step } from './path.js';

/** Why a list may lack rows although its last page is there. */
export const TRUNCATED = 'the list is truncated: its source may have more rows than these';

/** Whether an object on the way to a list says `truncated: true`, as connections and searches do beside their rows. */
export function isTruncated(data: JsonObject | null | undefined, path: string): boolean {
  const steps = readPath(path);
  const list = steps.findLastIndex((step) => 'each' in step);
  return saysTruncated(data ?? undefined, steps.slice(0, Math.max(0, list)), 0);
}

function saysTruncated(value: Json | undefined, steps: readonly Step[], at: number): boolean {
  const step = steps[at];
  if (step === undefined) return false;
  if ('each' in step) return isList(value) && value.some((item) => saysTruncated(item, steps, at + 1));
  return isObject(value) && (value['truncated'] === true || saysTruncated(value[step.key], steps, at + 1));
}
