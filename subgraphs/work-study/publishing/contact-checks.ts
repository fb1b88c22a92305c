import { badUserInput, checkCode } from '../../graph/arguments.js';

type Given<T> = T | null | undefined;

/** An e-mail address: something, an @ and a domain with a dot. The source checks it further. */
export function checkEmail(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
    expected: 'an e-mail address',
  });
}

/** An absolute http or https address. */
export function checkUri(argument: string, value: Given<string>): void {
  checkCode(argument, value, { isValid: isWebAddress, expected: 'a web address: http:// or https:// and a host' });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * A telephone number in French form (0 and nine digits) or international form (+ and 8 to 15 digits), spaces, dots and
 * hyphens aside. Which countries and kinds of numbers it takes, the source knows (work-study 7.4).
 */
export function checkPhone(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: (text) => /^(0[1-9]\d{8}|(\+|00)[1-9]\d{7,14})$/.test(text.replace(/[\s.()-]/g, '')),
    expected: 'a telephone number in French (0…) or international (+…) form',
  });
}

/** An optional value that may be left out, but is not null when it is given (work-study 12.2.11). */
export function checkNotNull(argument: string, value: unknown): void {
  if (value === null) throw badUserInput(argument, 'can be left out, but not be null');
}
