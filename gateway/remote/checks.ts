import { isRecord } from '../../kernel/text.js';

// Checks of what a subgraph in another process sends besides data.

/** Whether a value is what it must be. */
export type Check = (value: unknown) => boolean;

/** A text. */
export const isText = (value: unknown): value is string => typeof value === 'string';

/** A number; JSON has no infinite ones. */
export const isNumber = (value: unknown): value is number => typeof value === 'number';

/** One of these texts. */
export function oneOf<T extends string>(...texts: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => texts.some((text) => text === value);
}

/** That, or nothing. */
export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** An object whose members are what they must be; others are not looked at. */
export function all<T>(checks: Readonly<Record<string, Check>>): (value: unknown) => value is T {
  return (value): value is T => isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

/** The items of a list that are what they must be; none if it is no list. */
export function listOf<T>(value: unknown, isItem: (item: unknown) => item is T): readonly T[] {
  return Array.isArray(value) ? value.filter(isItem) : [];
}
