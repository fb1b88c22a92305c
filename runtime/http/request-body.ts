import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { DEEPEST, exceededBound } from '../../kernel/json-bounds.js';
import { RequestError } from './request-error.js';
import { oneHeader, type RequestHeaders } from './request-headers.js';

/** Its callbacks run after what Node is doing now, and cost less than a tick. */
const ARRIVED = Promise.resolve();

/** Calls `done` with the body of a request, of the length its header states; with null if its end does not arrive. */
export function receiveBody(request: IncomingMessage, done: (body: Buffer | null) => void): void {
  // Node has a short body by then, as it came with the headers: this saves the events, which cost more than the body.
  void ARRIVED.then(() => {
    const first: Buffer | null = request.read();
    if (first?.length === Number(oneHeader(request.headers, 'content-length'))) done(first);
    else
      buffer(request).then(
        (rest) => done(first === null ? rest : Buffer.concat([first, rest])),
        () => done(null),
      );
  });
}

/**
 * Reads a JSON body that has arrived, in UTF-8 with or without a byte order mark; undefined if it is empty. Throws a
 * RequestError.
 */
export function parseJsonBody(headers: RequestHeaders, body: Buffer, maxValues = MAX_VALUES): unknown {
  // Some clients send a content type with every request, even without a body, such as for a logout.
  if (body.length === 0) return undefined;
  const charset = CHARSET.exec(oneHeader(headers, 'content-type') ?? '')?.[1];
  if (charset !== undefined && !UTF_8.test(charset))
    throw new RequestError(415, 'The character set of a body is utf-8.');
  try {
    return parseJson(utf8.decode(body), 'The body', maxValues);
  } catch (error) {
    throw error instanceof RequestError ? error : new RequestError(400, 'The body is not UTF-8.');
  }
}

/**
 * Values and keys of one JSON text: enough for argument lists and a whole offer. Half a million of them, which compress
 * to a few kilobytes, would block the event loop for seconds; an attachment is a single value.
 */
const MAX_VALUES = 10_000;

/** Parses JSON from a caller after checking its bounds. Throws a RequestError whose message is about `what`. */
export function parseJson(text: string, what: string, values = MAX_VALUES): unknown {
  const exceeded = exceededBound(text, { values });
  if (exceeded === 'depth') throw new RequestError(400, `${what} is nested more than ${DEEPEST} deep.`);
  if (exceeded === 'values') throw new RequestError(413, `${what} holds more than ${values} values.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, `${what} is not JSON.`);
  }
}

/** The parameter of a media type, quoted or not. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** Some clients omit the hyphen. */
const UTF_8 = /^utf-?8$/i;

/** Drops a byte order mark. Invalid bytes are refused: replacement characters would change the query. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** How large a document may be that is to be parsed and validated. */
export interface DocumentBounds {
  /** Bytes of UTF-8. */
  readonly bytes: number;
  readonly tokens: number;
  /** Operations and fragments. Validation visits every fragment for each operation, so the work is their product. */
  readonly definitions: number;
}

/** Bounds of a document that anyone may send. The largest has ten bytes per token. */
export const DOCUMENT_BOUNDS: DocumentBounds = { bytes: 100 * 1024, tokens: 10_000, definitions: 100 };

/** Bounds of a document that a query plan wrote: ten times as much, because it writes fragments and arguments out. */
export const PLANNED_BOUNDS: DocumentBounds = { bytes: 1000 * 1024, tokens: 100_000, definitions: 1_000 };

/**
 * Throws a RequestError for a document that would be too expensive to parse or validate. The parser itself counts tokens,
 * as it reads them.
 */
export function checkDocument(document: string, bounds: DocumentBounds): void {
  if (Buffer.byteLength(document) > bounds.bytes)
    throw new RequestError(413, `The document is larger than ${bounds.bytes / 1024} kB.`);
  const { depth, definitions } = outlineOf(document);
  if (depth > DEEPEST) throw refused('GRAPHQL_PARSE_FAILED', `The document is nested more than ${DEEPEST} deep.`);
  if (definitions > bounds.definitions) {
    const message = `The document has ${definitions} operations and fragments; at most ${bounds.definitions} are allowed.`;
    throw refused('GRAPHQL_VALIDATION_FAILED', message);
  }
}

function refused(code: string, message: string): RequestError {
  return new RequestError(400, message, { code });
}

/** Brackets; and strings and comments, terminated or not, which are skipped. */
const PARTS = /"""(?:\\"""|.)*?(?:"""|$)|"(?:\\.|[^"\\\n\r])*"?|#[^\n\r]*|[([{]|[)\]}]/gs;

/** What the brackets of a document reveal. The text need not be a valid document. */
interface DocumentOutline {
  /** Deepest nesting of brackets. */
  readonly depth: number;
  /** Braces outside all other brackets: one per operation and fragment. */
  readonly definitions: number;
}

/** The outline of a document, from one pass over its text. */
export function outlineOf(document: string): DocumentOutline {
  let level = 0;
  let depth = 0;
  let definitions = 0;
  for (const [part] of document.matchAll(PARTS)) {
    if (part === '{' || part === '(' || part === '[') {
      if (part === '{' && level === 0) definitions += 1;
      level += 1;
      depth = Math.max(depth, level);
    } else if (part === '}' || part === ')' || part === ']') level = Math.max(0, level - 1);
  }
  return { depth, definitions };
}
