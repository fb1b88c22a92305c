import type { ParsedUrlQuery } from 'node:querystring';

/** One mistake in a parameter, in the form and key order of the service's validator (volunteering 5.2). */
export type Issue = Readonly<Record<string, unknown>>;

/**
 * Reads parameters one by one and collects their mistakes, as the service's validator does. Express 5 reads flat
 * queries: `city[]` is a key of its own, which is never read (volunteering 2.2).
 */
export class QueryReader {
  readonly issues: Issue[] = [];
  readonly #query: ParsedUrlQuery;

  constructor(query: ParsedUrlQuery) {
    this.#query = query;
  }

  /** A coerced number: an empty text is 0; a repeated key or a word is an issue (volunteering 3.1). */
  number(name: string, bounds: { readonly min?: number; readonly max?: number } = {}): number | undefined {
    const raw = this.#query[name];
    if (raw === undefined) return undefined;
    const value = Array.isArray(raw) ? Number.NaN : Number(raw);
    if (!Number.isFinite(value)) this.issues.push(wrongType(name, 'number', Number.isNaN(value) ? 'NaN' : 'Infinity'));
    else if (bounds.min !== undefined && value < bounds.min) this.issues.push(tooSmall(name, bounds.min));
    else if (bounds.max !== undefined && value > bounds.max) this.issues.push(tooBig(name, bounds.max));
    return value;
  }

  /** A single text: a repeated key is an issue. */
  text(name: string): string | undefined {
    const raw = this.#query[name];
    if (!Array.isArray(raw)) return raw;
    this.issues.push(wrongKind(name, 'string', 'array'));
    return undefined;
  }

  /** One of the words; anything else is an issue. */
  word(name: string, words: readonly string[]): string | undefined {
    const raw = this.#query[name];
    if (raw === undefined) return undefined;
    if (typeof raw === 'string' && words.includes(raw)) return raw;
    this.issues.push(unknownWord([name], words));
    return undefined;
  }

  /**
   * One of the words, or a repeated key with such words; a comma-separated list is an issue (volunteering 2.1, `type`).
   */
  words(name: string, words: readonly string[]): readonly string[] | undefined {
    const raw = this.#query[name];
    if (raw === undefined) return undefined;
    const values = Array.isArray(raw) ? raw : [raw];
    if (values.every((value) => words.includes(value))) return values;
    this.issues.push(noMemberFits(name, raw, words));
    return undefined;
  }

  /**
   * Several values (volunteering 2.2): a single text is split at commas, the items of a repeated key are not; all are
   * trimmed, and empty ones dropped. Undefined if the parameter is missing or empty.
   */
  list(name: string): readonly string[] | undefined {
    const raw = this.#query[name];
    if (raw === undefined || raw === '') return undefined;
    return (Array.isArray(raw) ? raw : raw.split(',')).map((item) => item.trim()).filter((item) => item !== '');
  }

  /** The raw parameter, for parameters that the service does not validate. */
  raw(name: string): string | readonly string[] | undefined {
    return this.#query[name];
  }
}

/** The body of a 400: the issues are a JSON text inside `message.message` (volunteering 5.2). */
export function invalidQuery(issues: readonly Issue[]): object {
  return {
    ok: false,
    code: 'INVALID_QUERY',
    message: { name: 'ZodError', message: JSON.stringify(issues, null, 2) },
  };
}

function wrongType(name: string, expected: string, received: string): Issue {
  return {
    expected,
    code: 'invalid_type',
    received,
    path: [name],
    message: `Invalid input: expected ${expected}, received ${received === 'Infinity' ? 'number' : received}`,
  };
}

function wrongKind(name: string, expected: string, received: string): Issue {
  return {
    expected,
    code: 'invalid_type',
    path: [name],
    message: `Invalid input: expected ${expected}, received ${received}`,
  };
}

function tooSmall(name: string, minimum: number): Issue {
  return {
    origin: 'number',
    code: 'too_small',
    minimum,
    inclusive: true,
    path: [name],
    message: `Too small: expected number to be >=${minimum}`,
  };
}

function tooBig(name: string, maximum: number): Issue {
  return {
    origin: 'number',
    code: 'too_big',
    maximum,
    inclusive: true,
    path: [name],
    message: `Too big: expected number to be <=${maximum}`,
  };
}

function unknownWord(path: readonly (string | number)[], words: readonly string[]): Issue {
  const options = words.map((word) => JSON.stringify(word)).join('|');
  return { code: 'invalid_value', values: words, path, message: `Invalid option: expected one of ${options}` };
}

function noMemberFits(name: string, raw: string | readonly string[], words: readonly string[]): Issue {
  const asOne = [unknownWord([], words)];
  const asList = Array.isArray(raw)
    ? raw.flatMap((value, index) => (words.includes(value) ? [] : [unknownWord([index], words)]))
    : [
        {
          expected: 'array',
          code: 'invalid_type',
          path: [],
          message: 'Invalid input: expected array, received string',
        },
      ];
  return { code: 'invalid_union', errors: [asOne, asList], path: [name], message: 'Invalid input' };
}
