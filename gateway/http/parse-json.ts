import { MAX_NESTING } from '../../runtime/http/document-bounds.js';
import { exceededBound } from '../../runtime/http/request-body.js';
import { RequestError } from './request-error.js';

/**
 * Values and keys of one JSON text: enough for argument lists and a whole offer. Half a million of them, which compress
 * to a few kilobytes, would block the event loop for seconds; an attachment is a single value.
 */
const MAX_VALUES = 10_000;

/** Parses JSON from a caller after checking its bounds. Throws a RequestError whose message is about `what`. */
export function parseJson(text: string, what: string): unknown {
  switch (exceededBound(text, { depth: MAX_NESTING, values: MAX_VALUES })) {
    case 'depth':
      throw new RequestError(400, `${what} is nested more than ${MAX_NESTING} deep.`);
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
