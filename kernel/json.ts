/** Whether a parsed value is an object and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Levels of nested lists and objects; the deepest response of any service has about ten. */
export const DEEPEST_JSON = 200;

/**
 * The value of a JSON text from another process; undefined if it is not JSON, or so deeply nested that walking it, or
 * serializing it again, would overflow the stack.
 */
export function parseShallowJson(text: string): unknown {
  try {
    // The engine parses without recursion, however deep the text is.
    const value: unknown = JSON.parse(text);
    return opensMoreThan(DEEPEST_JSON, text) && isDeeperThan(DEEPEST_JSON, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a text has more opening brackets than this. If not, walking its value is needless. */
function opensMoreThan(levels: number, text: string): boolean {
  let opened = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > levels) return true;
    }
  }
  return false;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[key])) return true;
  }
  return false;
}
