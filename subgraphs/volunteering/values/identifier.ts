import { CodedError } from '../../../kernel/errors.js';

/** The identifier of a record, non-null and unique in the graph. Throws if it is missing or empty. */
export function identifierOf(record: { readonly id: string | null }): string {
  if (record.id !== null && record.id !== '') return record.id;
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'volunteering sent a record without its identifier.', {
    service: 'volunteering',
  });
}
