/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** One step of a path: a key of an object, or each item of a list. */
export type Step = { readonly key: string } | { readonly each: true };

/** Whether a value is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The first object in a value, itself included and not below lists, of which something holds; null if there is none. */
export function findObject(value: Json | undefined, holds: (object: JsonObject) => boolean): JsonObject | null {
  if (!isObject(value)) return null;
  if (holds(value)) return value;
  for (const inner of Object.values(value)) {
    const found = findObject(inner, holds);
    if (found !== null) return found;
  }
  return null;
}

/** Parses a path such as `missions.nodes[].addresses[]`. */
export function readPath(path: string): Step[] {
  return path
    .split(/\.|(?=\[\])/)
    .filter((part) => part !== '')
    .map((part) => (part === '[]' ? { each: true } : { key: part }));
}

/** Formats steps as a path. */
export function writePath(steps: readonly Step[]): string {
  let path = '';
  for (const step of steps) path += 'each' in step ? '[]' : `${path === '' ? '' : '.'}${step.key}`;
  return path;
}
