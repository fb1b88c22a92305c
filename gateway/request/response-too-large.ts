import { CodedError } from '../../kernel/errors.js';

/** The error for a response that would be too large, before or while it is made: `why`, and what to do about it. */
export function responseTooLarge(why: string): CodedError {
  return new CodedError('ANSWER_TOO_LARGE', `${why} Request fewer items with \`first\`, or fewer fields.`);
}
