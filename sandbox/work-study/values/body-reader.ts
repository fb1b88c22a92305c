import type { Era } from '../../server/types.js';
import { isRecord } from '../../world/types.js';
import { custom, type Issue, invalidFormat, invalidType, invalidValue, tooBig, tooSmall } from './issues.js';

type Body = Readonly<Record<string, unknown>>;
type Path = Issue['path'];

interface Presence {
  /** Whether the key must be present; false if omitted. */
  readonly required?: boolean;
  /** Whether it may be null. */
  readonly nullable?: boolean;
}

interface TextRules extends Presence {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** A message about what is wrong with the text; undefined if nothing is. */
  readonly check?: (text: string) => string | undefined;
}

interface NumberRules extends Presence {
  readonly min?: number;
  readonly integer?: boolean;
}

/**
 * Reads the keys of a JSON body one by one and collects issues. An absent or invalid value reads as null.
 */
export class BodyReader {
  readonly issues: Issue[] = [];

  /** The whole body, which must be an object. */
  root(body: unknown): Body {
    return isRecord(body) ? body : (this.#wrong(invalidType([], 'object', body)) ?? {});
  }

  /** The object at a path; empty if it is missing or invalid, so that required keys below it are reported too. */
  object(parent: Body, path: Path, presence: Presence): Body {
    const value = this.#present(parent, path, 'object', presence);
    if (isRecord(value) || value === undefined) return value ?? {};
    return this.#wrong(invalidType(path, 'object', value)) ?? {};
  }

  text(parent: Body, path: Path, rules: TextRules): string | null {
    const value = this.#present(parent, path, 'string', rules);
    return value === undefined ? null : this.#text(value, path, rules);
  }

  texts(parent: Body, path: Path, rules: TextRules): string[] | null {
    return this.#list(parent, path, rules, (item, itemPath) => this.#text(item, itemPath, rules));
  }

  number(parent: Body, path: Path, rules: NumberRules): number | null {
    const value = this.#present(parent, path, 'number', rules);
    if (value === undefined) return null;
    if (typeof value !== 'number') return this.#wrong(invalidType(path, 'number', value));
    if (rules.integer && !Number.isInteger(value)) return this.#wrong(invalidType(path, 'int', value));
    if (rules.min !== undefined && value < rules.min) return this.#wrong(tooSmall(path, 'number', rules.min));
    return value;
  }

  boolean(parent: Body, path: Path, presence: Presence): boolean | null {
    const value = this.#present(parent, path, 'boolean', presence);
    if (value === undefined || typeof value === 'boolean') return value ?? null;
    return this.#wrong(invalidType(path, 'boolean', value));
  }

  oneOf(parent: Body, path: Path, { values, ...presence }: Presence & { values: readonly string[] }): string | null {
    const value = this.#present(parent, path, 'string', presence);
    return value === undefined ? null : this.#oneOf(value, path, values);
  }

  eachOneOf(
    parent: Body,
    path: Path,
    { values, ...presence }: Presence & { values: readonly string[] },
  ): string[] | null {
    return this.#list(parent, path, presence, (item, itemPath) => this.#oneOf(item, itemPath, values));
  }

  #wrong(issue: Issue): null {
    this.issues.push(issue);
    return null;
  }

  /** The value at the end of a path; undefined if there is nothing left to check. */
  #present(parent: Body, path: Path, expected: string, { required, nullable }: Presence): unknown {
    const value = parent[String(path.at(-1))];
    const isMissing = value === undefined ? required : value === null && !nullable;
    if (isMissing) this.#wrong(invalidType(path, expected, value));
    return value ?? undefined;
  }

  #text(value: unknown, path: Path, { min = 0, max = Infinity, pattern, check }: TextRules): string | null {
    if (typeof value !== 'string') return this.#wrong(invalidType(path, 'string', value));
    if (value.length < min) return this.#wrong(tooSmall(path, 'string', min));
    if (value.length > max) return this.#wrong(tooBig(path, 'string', max));
    if (pattern !== undefined && !pattern.test(value)) return this.#wrong(invalidFormat(path, pattern));
    const complaint = check?.(value);
    return complaint === undefined ? value : this.#wrong(custom(path, complaint));
  }

  #oneOf(value: unknown, path: Path, values: readonly string[]): string | null {
    return values.find((one) => one === value) ?? this.#wrong(invalidValue(path, values));
  }

  #list(
    parent: Body,
    path: Path,
    presence: Presence,
    read: (item: unknown, path: Path) => string | null,
  ): string[] | null {
    const value = this.#present(parent, path, 'array', presence);
    if (value === undefined) return null;
    if (!Array.isArray(value)) return this.#wrong(invalidType(path, 'array', value));
    return value.flatMap((item: unknown, i) => read(item, [...path, i]) ?? []);
  }
}

/**
 * Calling codes of Europe's zones 3 and 4, the only ones that the seed's service accepts (work-study 12.2.6, 12.2.11).
 */
const EUROPEAN = /^\+[34]/;

/**
 * Whether a phone number is accepted: French with a leading 0 or international, and not premium, pager, voicemail or
 * shared-cost (work-study 7.4). Contrary to the service's prose, the country is not checked today.
 */
function isTakenPhone(text: string, era: Era): boolean {
  const digits = text.replace(/[\s.\-()]/g, '').replace(/^00/, '+');
  const international = /^0\d{9}$/.test(digits) ? `+33${digits.slice(1)}` : digits;
  if (!/^\+[1-9]\d{6,14}$/.test(international)) return false;
  if (era === 'seed' && !EUROPEAN.test(international)) return false;
  // Of the French numbers starting with 8, only 80x are free; the others charge the caller.
  return !/^\+33(?:0|8[1-9])/.test(international) && (!international.startsWith('+33') || international.length === 12);
}

/** A message about an invalid e-mail address; undefined for a valid one. */
export function notEmail(text: string): string | undefined {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text) ? undefined : 'Invalid email address';
}

/** A message about an invalid phone number; undefined for a valid one. */
export function notPhone(text: string, era: Era): string | undefined {
  return isTakenPhone(text, era) ? undefined : 'Invalid phone number';
}
