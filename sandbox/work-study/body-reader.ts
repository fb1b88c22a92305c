import { isRecord } from './fields.js';
import { custom, type Issue, invalidFormat, invalidType, invalidValue, tooBig, tooSmall } from './issues.js';

type Path = Issue['path'];

interface Presence {
  /** Whether the key must be there; optional when left out. */
  readonly required?: boolean;
  /** Whether it may be null. */
  readonly nullable?: boolean;
}

interface TextRules extends Presence {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** A message when the text is no good. */
  readonly check?: (text: string) => string | undefined;
}

/** Reads the keys of a JSON body and collects what is wrong with them. Absent and null are told apart by the rules only. */
export interface BodyReader {
  readonly issues: Issue[];
  /** The object at a path; empty when it is missing or wrong, so that what is required below it is told too. */
  object(parent: unknown, path: Path, presence: Presence): Record<string, unknown>;
  text(parent: Record<string, unknown>, path: Path, rules: TextRules): string | null;
  number(
    parent: Record<string, unknown>,
    path: Path,
    rules: Presence & { min?: number; integer?: boolean },
  ): number | null;
  boolean(parent: Record<string, unknown>, path: Path, presence: Presence): boolean | null;
  oneOf(parent: Record<string, unknown>, path: Path, values: readonly string[], presence: Presence): string | null;
  texts(
    parent: Record<string, unknown>,
    path: Path,
    rules: TextRules & { values?: readonly string[] },
  ): string[] | null;
}

export function createBodyReader(): BodyReader {
  const issues: Issue[] = [];
  const wrong = (issue: Issue): null => {
    issues.push(issue);
    return null;
  };
  /** The value at the last name of a path; undefined when there is nothing to check. */
  const present = (
    parent: Record<string, unknown>,
    path: Path,
    expected: string,
    { required, nullable }: Presence,
  ): unknown => {
    const value = parent[String(path.at(-1))];
    const missing = value === undefined ? required : value === null && !nullable;
    if (missing) wrong(invalidType(path, expected, value));
    return value === null ? undefined : value;
  };
  const checkText = (
    value: unknown,
    path: Path,
    { min = 0, max = Infinity, pattern, check }: TextRules,
  ): string | null => {
    if (typeof value !== 'string') return wrong(invalidType(path, 'string', value));
    if (value.length < min) return wrong(tooSmall(path, 'string', min));
    if (value.length > max) return wrong(tooBig(path, 'string', max));
    if (pattern !== undefined && !pattern.test(value)) return wrong(invalidFormat(path, pattern));
    const complaint = check?.(value);
    return complaint === undefined ? value : wrong(custom(path, complaint));
  };
  return {
    issues,
    object(parent, path, presence) {
      const value = path.length === 0 ? parent : present(isRecord(parent) ? parent : {}, path, 'object', presence);
      if (isRecord(value)) return value;
      if (value !== undefined || path.length === 0) wrong(invalidType(path, 'object', value));
      return {};
    },
    text(parent, path, rules) {
      const value = present(parent, path, 'string', rules);
      return value === undefined ? null : checkText(value, path, rules);
    },
    number(parent, path, rules) {
      const value = present(parent, path, 'number', rules);
      if (value === undefined) return null;
      if (typeof value !== 'number') return wrong(invalidType(path, 'number', value));
      if (rules.integer && !Number.isInteger(value)) return wrong(invalidType(path, 'int', value));
      if (rules.min !== undefined && value < rules.min) return wrong(tooSmall(path, 'number', rules.min));
      return value;
    },
    boolean(parent, path, presence) {
      const value = present(parent, path, 'boolean', presence);
      if (value === undefined) return null;
      return typeof value === 'boolean' ? value : wrong(invalidType(path, 'boolean', value));
    },
    oneOf(parent, path, values, presence) {
      const value = present(parent, path, 'string', presence);
      if (value === undefined) return null;
      return values.find((one) => one === value) ?? wrong(invalidValue(path, values));
    },
    texts(parent, path, rules) {
      const value = present(parent, path, 'array', rules);
      if (value === undefined) return null;
      if (!Array.isArray(value)) return wrong(invalidType(path, 'array', value));
      const { values } = rules;
      return value.flatMap((item: unknown, i) => {
        const itemPath = [...path, i];
        if (values === undefined) return checkText(item, itemPath, rules) ?? [];
        return values.find((one) => one === item) ?? wrong(invalidValue(itemPath, values)) ?? [];
      });
    },
  };
}
