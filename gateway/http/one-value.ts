import { CodedError } from '../../schema/errors.js';

/** The value of a parameter of an address; undefined without one. Throws `BAD_USER_INPUT` for one that is given twice. */
export function oneValue(search: URLSearchParams, name: string): string | undefined {
  const values = search.getAll(name);
  if (values.length > 1) throw new CodedError('BAD_USER_INPUT', `\`${name}\` may be given only once.`);
  return values[0];
}
