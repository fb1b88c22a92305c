/** The value at a path of a record; undefined if the path ends early. */
export function valueAt(record: unknown, ...path: readonly (string | number)[]): unknown {
  let value = record;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value;
}

/** The text at a path; null for anything else. */
export function textAt(record: unknown, ...path: readonly (string | number)[]): string | null {
  const value = valueAt(record, ...path);
  return typeof value === 'string' ? value : null;
}

/** The list at a path; empty for anything else. */
export function listAt(record: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = valueAt(record, ...path);
  return Array.isArray(value) ? value : [];
}
