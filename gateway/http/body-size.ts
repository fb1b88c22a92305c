import { inUnits } from '../../kernel/text.js';
import { RequestError } from './request-error.js';

/** Bytes of an ordinary body: 100 kB for the document, as much for its variables, and the rest for JSON escapes. */
export const BODY_BYTES = 256 * 1024;

/** Bytes of a body with a work-study key: only its applications carry an attachment (at most 4.5 MB in base64). */
export const KEYED_BODY_BYTES = 6 * 1024 * 1024;

/** The error for a body that is too large, before or after decompression. */
export function tooLarge(maxBytes: number): RequestError {
  const more =
    maxBytes < KEYED_BODY_BYTES
      ? ' Only an application with its attachment, sent with `x-work-study-key`, may be larger.'
      : '';
  return new RequestError(413, `The body is larger than ${inUnits(maxBytes)}.${more}`);
}
