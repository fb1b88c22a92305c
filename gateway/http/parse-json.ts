import { DEEPEST_NESTING } from '../../runtime/http/document-nesting.js';
import { exceededBound } from '../../runtime/http/json-bounds.js';
import { RequestError } from './request-error.js';

/**
 * Values and keys of one request, with room for lists of arguments and a whole offer. Half a million of them, which
 * compress to some kilobytes, would hold up everybody for seconds; an attachment is one value.
 */
const MAX_VALUES = 10_000;

/** What a JSON text of a caller holds. Throws a RequestError, in whose message `what` is the subject, before parsing. */
export function parseJson(text: string, what: string): unknown {
  switch (exceededBound(text, { depth: DEEPEST_NESTING, values: MAX_VALUES })) {
    case 'depth':
      throw new RequestError(400, `${what} is nested more than ${DEEPEST_NESTING} deep.`);
    case 'values':
      throw new RequestError(413, `${what} holds more than ${MAX_VALUES} values.`);
    case null:
      return parse(text, what);
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, `${what} is not JSON.`);
  }
}
