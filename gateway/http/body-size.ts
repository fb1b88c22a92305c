import { RequestError } from './request-error.js';

/** A document has at most 100 kB; its variables get as much again, and JSON's escapes the rest. */
export const BODY_BYTES = 256 * 1024;

/** With a key for work-study, the only service whose applications carry an attachment (4.5 MB in base64 at most). */
export const KEYED_BODY_BYTES = 6 * 1024 * 1024;

/** The refusal of a body with more bytes than allowed, sent or unpacked. */
export function tooLarge(maxBytes: number): RequestError {
  const more =
    maxBytes < KEYED_BODY_BYTES
      ? ' Only an application with its attachment, sent with `x-work-study-key`, may be larger.'
      : '';
  return new RequestError(413, `The body is larger than ${inUnits(maxBytes)}.${more}`);
}

function inUnits(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} kB` : `${bytes / 1024 / 1024} MB`;
}
