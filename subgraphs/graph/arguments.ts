/**
 * Checks of arguments before they cost a call. Each throws `BAD_USER_INPUT`, which names the argument and never repeats
 * its value, and accepts null and absent: whether an argument may be missing is up to the schema.
 */

import { createRequire } from 'node:module';
import type { GraphQLScalarType } from 'graphql';
import { instantOf, isDateTime, readDate } from '../../kernel/dates.js';
import { CodedError, type CodedErrorDetails } from '../../kernel/errors.js';
import { isRna, isSiret } from '../codes/registers.js';

/**
 * The scalars of graphql-scalars that check arguments. Required rather than imported: the package has one entry point,
 * and its hundred files load in half the time as CommonJS.
 */
const library: typeof import('graphql-scalars') = createRequire(import.meta.url)('graphql-scalars');

export const { GraphQLEmailAddress, GraphQLObjectID, GraphQLPhoneNumber, GraphQLURL } = library;

type Given<T> = T | null | undefined;

/** Whether a scalar accepts a value. The parsed value is unused: scalars round coordinates and normalize addresses. */
export function isAcceptedBy(scalar: GraphQLScalarType, value: unknown): boolean {
  try {
    scalar.parseValue(value);
    return true;
  } catch {
    return false;
  }
}

/** The error for one argument, such as `input.offer.title` or `department[1]`: `siret is not a SIRET: …`. */
export function badUserInput(argument: string, problem: string): CodedError {
  return new CodedError('BAD_USER_INPUT', `${argument} ${problem}.`, { argument: pathOf(argument) });
}

function pathOf(argument: string): (string | number)[] {
  const steps = argument.split(/[.[\]]/).filter((step) => step !== '');
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** More mistakes than this are not looked for: suggestions for two hundred items of a list took 14 ms in one turn. */
const MAX_MISTAKES = 10;

/**
 * Takes all steps, each of which may refuse arguments, and returns their results. Throws what they refuse together, so
 * that a caller learns of all mistakes at once, or of the first ten and those found with the tenth.
 */
export function together<T extends readonly unknown[]>(...steps: { readonly [At in keyof T]: () => T[At] }): T {
  let mistakes: Map<string, CodedError> | null = null;
  let found = 0;
  const results = steps.map((step) => {
    if (found >= MAX_MISTAKES) return undefined;
    try {
      return step();
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'BAD_USER_INPUT') throw error;
      mistakes ??= new Map();
      found += 1 + error.further.length;
      // Several items of a list may have the same mistake.
      for (const one of [error, ...error.further]) mistakes.set(one.message, one);
      return undefined;
    }
  });
  const [first, ...further] = mistakes === null ? [] : (mistakes as Map<string, CodedError>).values();
  // Nothing was refused, so every step has its result, which `map` does not know by place.
  if (first === undefined) return results as unknown as T;
  if (further.length === 0) throw first;
  const { argument } = first.extensions as CodedErrorDetails;
  throw new CodedError(first.code, first.message, { argument, further });
}

/** The same check of each item of a list. */
export function checkEach<V>(values: Given<readonly V[]>, check: (value: V, index: number) => void): void {
  together(...(values ?? []).map((value, index) => () => check(value, index)));
}

/** A step for each item of a list, with its argument: of several, mistakes name the wrong ones, as in `department[1]`. */
export function eachItem<V, Result>(
  argument: string,
  values: Given<readonly V[]>,
  step: (argument: string, value: V) => Result,
): Result[] {
  const steps = (values ?? []).map(
    (value, index, { length }) =>
      () =>
        step(length > 1 ? `${argument}[${index}]` : argument, value),
  );
  return together<Result[]>(...steps);
}

/** Refuses an invalid code of a register. `expected` describes a valid one: `a CFD code: eight characters`. */
export function checkCode(
  argument: string,
  value: Given<string>,
  rule: { readonly isValid: (text: string) => boolean; readonly expected: string },
): void {
  if (value !== null && value !== undefined && !rule.isValid(value)) {
    throw badUserInput(argument, `is not ${rule.expected}`);
  }
}

/** Refuses anything but 14 digits with a valid checksum. */
export function checkSiret(argument: string, value: Given<string>): void {
  checkCode(argument, value, { isValid: isSiret, expected: 'a SIRET: 14 digits with a checksum' });
}

/** Refuses anything but a number of the register of associations (volunteering 9). */
export function checkRna(argument: string, value: Given<string>): void {
  checkCode(argument, value, { isValid: isRna, expected: 'an RNA number: W and nine characters' });
}

/** Refuses a value that a scalar does not accept; `problem` says what is wrong with it. */
export function checkScalar(
  argument: string,
  value: unknown,
  rule: { readonly scalar: GraphQLScalarType; readonly problem: string },
): void {
  if (value === null || value === undefined) return;
  // The scalar's own message would repeat the value, which may be personal.
  if (!isAcceptedBy(rule.scalar, value)) throw badUserInput(argument, rule.problem);
}

/** Refuses a number out of bounds, which are inclusive. */
export function checkRange(
  argument: string,
  value: Given<number>,
  { min, max, unit = '' }: { readonly min: number; readonly max: number; readonly unit?: string },
): void {
  if (value === null || value === undefined || (value >= min && value <= max)) return;
  throw badUserInput(argument, `must be between ${min} and ${max} ${unit}`.trimEnd());
}

/** A position given as two arguments: both or neither, in degrees. Null when neither is given. */
export function readPosition(
  names: { readonly lat: string; readonly lon: string },
  lat: Given<number>,
  lon: Given<number>,
): { readonly lat: number; readonly lon: number } | null {
  together(
    () => checkRange(names.lat, lat, { min: -90, max: 90, unit: 'degrees' }),
    () => checkRange(names.lon, lon, { min: -180, max: 180, unit: 'degrees' }),
  );
  if ((lat ?? null) === null && (lon ?? null) === null) return null;
  if (lat === null || lat === undefined) throw badUserInput(names.lat, `is needed beside ${names.lon}`);
  if (lon === null || lon === undefined) throw badUserInput(names.lon, `is needed beside ${names.lat}`);
  return { lat, lon };
}

/**
 * Refuses text whose length is out of bounds, which are inclusive and in UTF-16 units, as the services count. With a
 * minimum it also refuses blank text, because the services ignore a blank filter and find everything.
 */
export function checkLength(
  argument: string,
  value: Given<string>,
  bounds: { readonly min?: number; readonly max?: number },
): void {
  if (value === null || value === undefined) return;
  const { min = 0, max = Number.POSITIVE_INFINITY } = bounds;
  if (min > 0 && value.trim() === '') throw badUserInput(argument, 'is empty');
  if (value.length < min) throw badUserInput(argument, `needs at least ${min} characters`);
  if (value.length > max) throw badUserInput(argument, `has at most ${max} characters`);
}

/**
 * Refuses all but a date `YYYY-MM-DD` or a time with its zone, of the years 1 to 9999: without a zone, services assume
 * Paris time; a year 0 is an error of volunteering's database (volunteering 3.4).
 */
function checkMoment(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: (text) => readDate(text)?.hasTime === false || isDateTime(text),
    expected:
      'a date (2026-01-31) or a date and time with its zone (2026-01-31T08:00:00+01:00), in the years 1 to 9999',
  });
}

/** Refuses moments that are none, and a range that ends before it begins; its bounds are strict. */
export function checkMoments(argument: string, range: Given<Moments>): void {
  const { after, before } = range ?? {};
  together(
    () => checkMoment(`${argument}.after`, after),
    () => checkMoment(`${argument}.before`, before),
  );
  if (instantOf(after ?? '') >= instantOf(before ?? ''))
    throw badUserInput(`${argument}.after`, `must be before ${argument}.before`);
}

type Moments = Readonly<Partial<Record<'after' | 'before', Given<string>>>>;
