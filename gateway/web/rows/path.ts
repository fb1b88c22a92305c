/** A value as JSON.parse makes it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** One step down: a key of an object, or into each item of a list. */
export type Step = { readonly key: string } | { readonly each: true };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Reads a pattern such as `missions.nodes[].addresses[]`. */
export function readPath(path: string): Step[] {
  return path
    .split(/\.|(?=\[\])/)
    .filter((part) => part !== '')
    .map((part) => (part === '[]' ? { each: true } : { key: part }));
}

/** Writes steps as a pattern. */
export function writePath(steps: readonly Step[]): string {
  let path = '';
  for (const step of steps) path += 'each' in step ? '[]' : `${path === '' ? '' : '.'}${step.key}`;
  return path;
}
