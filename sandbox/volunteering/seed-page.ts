import type { ParsedUrlQuery } from 'node:querystring';

/** Which matching rows to send. */
export interface Page {
  readonly limit: number;
  readonly skip: number;
}

/**
 * Reads the page of a request of the seed's era. The seed leaves defaults and bounds open (volunteering 12.8): these
 * are those of the public service. An issue has the form of that era's validator: an object in `message` (volunteering
 * 5.2).
 */
export function readSeedPage(
  query: ParsedUrlQuery,
  names: { readonly limit: string; readonly skip: string; readonly max: number },
): Page | { readonly invalid: object } {
  const issues: object[] = [];
  const read = (name: string, max: number, missing: number): number => {
    if (query[name] === undefined) return missing;
    const value = Array.isArray(query[name]) ? Number.NaN : Number(query[name]);
    const issue = issueOf(name, value, max);
    if (issue !== null) issues.push(issue);
    return Math.trunc(value);
  };
  const page = { limit: read(names.limit, names.max, 25), skip: read(names.skip, Number.POSITIVE_INFINITY, 0) };
  if (issues.length === 0) return page;
  return { invalid: { ok: false, code: 'INVALID_QUERY', message: { issues, name: 'ZodError' } } };
}

function issueOf(name: string, value: number, max: number): object | null {
  const path = [name];
  if (Number.isNaN(value)) {
    const message = 'Expected number, received nan';
    return { code: 'invalid_type', expected: 'number', received: 'nan', path, message };
  }
  const bound = { type: 'number', inclusive: true, exact: false };
  if (value > max)
    return { code: 'too_big', maximum: max, ...bound, message: `Number must be less than or equal to ${max}`, path };
  if (value < 0)
    return { code: 'too_small', minimum: 0, ...bound, message: 'Number must be greater than or equal to 0', path };
  return null;
}
