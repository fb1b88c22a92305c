import { CodedError } from './errors.js';

/** The value of a query parameter; undefined if absent. Throws `BAD_USER_INPUT` if it is given twice. */
export function oneValue(search: URLSearchParams, name: string): string | undefined {
  const values = search.getAll(name);
  if (values.length > 1) throw new CodedError('BAD_USER_INPUT', `\`${name}\` may be given only once.`);
  return values[0];
}
