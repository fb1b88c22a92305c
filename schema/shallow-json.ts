/** Nesting of lists and objects; the deepest response of any service has about ten. */
export const DEEPEST_JSON = 200;

/**
 * What the JSON text of another process holds; undefined for what is not JSON or nests so deep that to walk it, or to
 * write it as JSON again, would end the stack.
 */
export function parseShallowJson(text: string): unknown {
  try {
    // The engine parses without recursion: it goes as deep as the text does.
    const value: unknown = JSON.parse(text);
    return isDeeperThan(DEEPEST_JSON, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[key])) return true;
  }
  return false;
}
