import { badUserInput, checkCode } from '../../graph/arguments.js';
import { GraphQLEmailAddress, GraphQLPhoneNumber, GraphQLURL, isAcceptedBy } from '../../graph/library-scalars.js';

type Given<T> = T | null | undefined;

/** Refuses all but an e-mail address whose domain has a dot, without which the source refuses it. */
export function checkEmail(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: (text) => isAcceptedBy(GraphQLEmailAddress, text) && text.lastIndexOf('.') > text.lastIndexOf('@'),
    expected: 'an e-mail address',
  });
}

/** Refuses all but an absolute http or https address. */
export function checkUri(argument: string, value: Given<string>): void {
  checkCode(argument, value, { isValid: isWebAddress, expected: 'a web address: http:// or https:// and a host' });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isAcceptedBy(GraphQLURL, text);
}

/**
 * Refuses all but a telephone number in French form (0 and nine digits) or international form (+ and 8 to 15 digits),
 * ignoring spaces, dots, hyphens and brackets. The source decides which countries and kinds of numbers it accepts
 * (work-study 7.4).
 */
export function checkPhone(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: isPhone,
    expected: 'a telephone number in French (0…) or international (+…) form',
  });
}

/**
 * Length is checked first, because the library's expression backtracks exponentially on digits that form no number. It
 * accepts numbers of any country and form, so the two forms are distinguished here.
 */
function isPhone(text: string): boolean {
  const number = text.replace(/[\s.()-]/g, '');
  return /^(0[1-9].{8}|(\+|00)[1-9].{7,14})$/.test(number) && isAcceptedBy(GraphQLPhoneNumber, number);
}

/** Refuses null for an optional value that may be omitted (work-study 12.2.11). */
export function checkNotNull(argument: string, value: unknown): void {
  if (value === null) throw badUserInput(argument, 'may be omitted, but not null');
}
