/**
 * The id of an object that a code identifies: `Departement:84`. It carries the type, so that no other object of the graph
 * has it. Null without a code.
 */
export function idOf(type: string, code: string): string;
export function idOf(type: string, code: string | null | undefined): string | null;
export function idOf(type: string, code: string | null | undefined): string | null {
  return code === null || code === undefined || code === '' ? null : `${type}:${code}`;
}

/** What an id of that form says; null for one that a service gave. */
export function readId(id: string): { readonly type: string; readonly code: string } | null {
  const [, type, code] = /^([A-Z][A-Za-z]+):(.+)$/.exec(id) ?? [];
  return type === undefined || code === undefined ? null : { type, code };
}
