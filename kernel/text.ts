import { CodedError } from './errors.js';
import { exceededBound } from './json-bounds.js';

/** How many characters must be inserted, removed or replaced to turn one text into the other (Levenshtein). */
export function editDistance(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const above = costs;
    costs = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      costs.push(Math.min(replaced, (above[column] ?? 0) + 1, (costs[column - 1] ?? 0) + 1));
    }
  }
  return costs[to.length] ?? 0;
}

/** Bytes in the largest unit that they fill, for messages; `round` rounds to the first decimal. */
export function inUnits(bytes: number, round: (tenths: number) => number = Math.floor): string {
  const [unit, name] = UNITS.find(([size]) => bytes >= size) ?? SMALLEST;
  return `${round((10 * bytes) / unit) / 10} ${name}`;
}

const SMALLEST = [1, 'bytes'] as const;
const UNITS = [[1024 * 1024, 'MB'], [1024, 'kB'], SMALLEST] as const;

/** The value of a query parameter; undefined if absent. Throws `BAD_USER_INPUT` if it is given twice. */
export function oneValue(search: URLSearchParams, name: string): string | undefined {
  const values = search.getAll(name);
  if (values.length > 1) throw new CodedError('BAD_USER_INPUT', `\`${name}\` may be given only once.`);
  return values[0];
}

/** The value of a foreign word in a plain object: `constructor`, which all objects have, is a word like any other. */
export function ownValue<T>(values: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(values, word) ? values[word] : undefined;
}

/** Whether a parsed value is an object and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value of a JSON text from another process; undefined if it is not JSON, or so deeply nested that walking it, or
 * serializing it again, would overflow the stack.
 */
export function parseShallowJson(text: string): unknown {
  try {
    return exceededBound(text, {}) === null ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
