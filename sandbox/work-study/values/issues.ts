/** One mistake in an input, as the service's validator reports it (zod 4). */
export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Further members that the validator reports. */
  readonly details: Readonly<Record<string, unknown>>;
}

type Path = Issue['path'];

/** The issue for a value of the wrong type. */
export function invalidType(path: Path, expected: string, value: unknown): Issue {
  const received = typeName(value);
  const details = received === 'NaN' ? { expected, received } : { expected };
  return { code: 'invalid_type', path, details, message: `Invalid input: expected ${expected}, received ${received}` };
}

/** The issue for a text that does not match a pattern. */
export function invalidFormat(path: Path, pattern: RegExp): Issue {
  return {
    code: 'invalid_format',
    path,
    message: `Invalid string: must match pattern ${pattern}`,
    details: { origin: 'string', format: 'regex', pattern: String(pattern) },
  };
}

/** The issue for a value that is not one of a list. */
export function invalidValue(path: Path, values: readonly string[]): Issue {
  const options = values.map((value) => `"${value}"`).join('|');
  return { code: 'invalid_value', path, message: `Invalid option: expected one of ${options}`, details: { values } };
}

/** The issue for a number or length below a minimum. */
export function tooSmall(path: Path, origin: 'number' | 'string', minimum: number): Issue {
  return {
    code: 'too_small',
    path,
    message: `Too small: expected ${sizeOf(origin, '>=', minimum)}`,
    details: { origin, minimum, inclusive: true },
  };
}

/** The issue for a number or length above a maximum. */
export function tooBig(path: Path, origin: 'number' | 'string', maximum: number): Issue {
  return {
    code: 'too_big',
    path,
    message: `Too big: expected ${sizeOf(origin, '<=', maximum)}`,
    details: { origin, maximum, inclusive: true },
  };
}

/** An issue with its own message. */
export function custom(path: Path, message: string): Issue {
  return { code: 'custom', path, message, details: {} };
}

function sizeOf(origin: 'number' | 'string', sign: string, bound: number): string {
  return origin === 'string' ? `string to have ${sign}${bound} characters` : `number to be ${sign}${bound}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isNaN(value) ? 'NaN' : typeof value;
}
