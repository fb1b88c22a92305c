/** An object in a response. */
export type Data = Record<string, unknown>;

/**
 * Merges the data of one source into `target`, deeply. Lists of the same length are merged item by item; any other
 * value replaces the existing one.
 */
export function merge(target: Data, source: Data): void {
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value === undefined) continue;
    // In the JSON of a subgraph, `__proto__` is a field like any other, and must not become a prototype.
    const known = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isData(known) && isData(value)) merge(known, value);
    else if (Array.isArray(known) && Array.isArray(value) && known.length === value.length) mergeItems(known, value);
    else if (key === '__proto__') Object.defineProperty(target, key, { value, ...ORDINARY });
    else target[key] = value;
  }
}

const ORDINARY = { enumerable: true, configurable: true, writable: true };

function mergeItems(target: unknown[], source: readonly unknown[]): void {
  for (const [index, value] of source.entries()) {
    const known = target[index];
    if (isData(known) && isData(value)) merge(known, value);
    else target[index] = value;
  }
}

/** Whether a value in a response is an object and not a list. */
export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
