import { readRowRequest } from '../files/row-request.js';
import { chooseEncoding, chooseResponseType, type Encoding, type ResponseType } from '../http/negotiation.js';

/** What a client accepts. Clients send the same header values again and again, so each is parsed once. */
export interface HeaderChoices {
  /** The JSON media type that an `Accept` prefers; null if it prefers rows, or nothing that is offered. */
  type(accept: string | undefined): ResponseType | null;
  /** The encoding for an `Accept-Encoding`; a short body is seldom encoded. */
  encoding(acceptEncoding: string | undefined, isShort: boolean): Encoding | null;
}

/** How many values of one header are remembered, and the longest that is, in characters. */
const MAX_VALUES = 100;
const MAX_LENGTH = 200;

/** Creates it empty. */
export function createHeaderChoices(): HeaderChoices {
  const typeOf = readOnce((accept) =>
    readRowRequest(accept, NO_PARAMETERS) === null ? chooseResponseType(accept) : null,
  );
  const shortEncodingOf = readOnce((header) => chooseEncoding(header, true));
  const encodingOf = readOnce((header) => chooseEncoding(header));
  return {
    type: (accept) => (accept === undefined ? 'application/json' : typeOf(accept)),
    encoding: (header, isShort) =>
      header === undefined ? null : isShort ? shortEncodingOf(header) : encodingOf(header),
  };
}

function readOnce<T>(read: (value: string) => T): (value: string) => T {
  const known = new Map<string, T>();
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    const made = read(value);
    if (known.size < MAX_VALUES && value.length <= MAX_LENGTH) known.set(value, made);
    return made;
  };
}

const NO_PARAMETERS = new URLSearchParams();
