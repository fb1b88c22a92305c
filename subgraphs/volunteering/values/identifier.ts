import { CodedError } from '../../../schema/errors.js';

/** The identifier of a record, non-null in the graph: a record without one is the coded error of its own row. */
export function identifierOf(record: { readonly id: string | null }): string {
  if (record.id !== null) return record.id;
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'volunteering sent a record without its identifier.', {
    service: 'volunteering',
  });
}
