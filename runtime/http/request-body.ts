import type { IncomingMessage } from 'node:http';
import { Lexer, Source, TokenKind } from 'graphql';
import { oneHeader } from './request-headers.js';

/** Its callbacks run after what Node is doing now, and cost less than a tick. */
const ARRIVED = Promise.resolve();

/** Calls `done` with the body of a request, of the length its header states; with null if its end does not arrive. */
export function receiveBody(request: IncomingMessage, done: (body: Buffer | null) => void): void {
  // Node has a short body by then, as it came with the headers: this saves the events, which cost more than the body.
  void ARRIVED.then(() => {
    const first: Buffer | null = request.read();
    if (first?.length === Number(oneHeader(request.headers, 'content-length'))) done(first);
    else receiveRest(request, first, done);
  });
}

function receiveRest(request: IncomingMessage, first: Buffer | null, done: (body: Buffer | null) => void): void {
  const chunks = first === null ? [] : [first];
  const fail = () => done(null);
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('error', fail);
  request.on('end', () => {
    request.off('error', fail);
    done(Buffer.concat(chunks));
  });
}

/** Why a body has no readable text: the status and message of the refusal. */
interface UnreadableText {
  readonly status: 400 | 415;
  readonly message: string;
}

/** The text of a JSON body with this content type: UTF-8, with or without a byte order mark. */
export function readBodyText(type: string | undefined, body: Buffer): string | UnreadableText {
  const charset = CHARSET.exec(type ?? '')?.[1];
  if (charset !== undefined && !UTF_8.test(charset)) {
    return { status: 415, message: 'The character set of a body is utf-8.' };
  }
  try {
    return utf8.decode(body);
  } catch {
    return { status: 400, message: 'The body is not UTF-8.' };
  }
}

/** The parameter of a media type, quoted or not. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** Some clients omit the hyphen. */
const UTF_8 = /^utf-?8$/i;

/** Drops a byte order mark. Invalid bytes are refused: replacement characters would change the query. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bounds of a JSON text. */
interface JsonBounds {
  /** Deepest nesting of lists and objects. */
  readonly depth: number;
  /** Number of values and object keys together. */
  readonly values: number;
}

/** Characters of a string read one by one before searching for its end: most strings are shorter. */
const SHORT_STRING = 32;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The bound that a JSON text exceeds; null for none. Looks at the text alone, before it is parsed, and stops at the
 * first excess: a text of a million empty strings costs as much as one with the most values allowed.
 */
export function exceededBound(text: string, { depth, values }: JsonBounds): keyof JsonBounds | null {
  let level = 0;
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COMMA || code === COLON) count += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) level -= 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      level += 1;
      count += 1;
      if (level > depth) return 'depth';
    }
    if (count > values) return 'values';
  }
  return null;
}

/** Position of the quote that ends a string; the length of the text if there is none. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    for (const near = at + SHORT_STRING; at < near; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE || Number.isNaN(code)) return at;
      if (code === BACKSLASH) at += 1;
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    if (!isEscaped(text, at, quote)) return quote;
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes precedes a quote; `from` is known not to be part of an escape. */
function isEscaped(text: string, from: number, quote: number): boolean {
  let first = quote;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

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

/** Fields have two directives in this graph, each at most once. */
const MAX_DIRECTIVES_PER_LOCATION = 5;

/** Why a document is not parsed: the status, code and message of the refusal. */
interface RefusedDocument {
  readonly status: 400 | 413;
  readonly code: 'BAD_REQUEST' | 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';
  readonly message: string;
}

/**
 * Why a document would be too expensive to parse or validate; null for any other. The parser itself counts tokens, as
 * it reads them.
 */
export function refuseDocument(document: string, bounds: DocumentBounds): RefusedDocument | null {
  if (Buffer.byteLength(document) > bounds.bytes) {
    return { status: 413, code: 'BAD_REQUEST', message: `The document is larger than ${bounds.bytes / 1024} kB.` };
  }
  const { depth, definitions } = outlineOf(document);
  if (depth > MAX_NESTING) {
    const message = `The document is nested more than ${MAX_NESTING} deep.`;
    return { status: 400, code: 'GRAPHQL_PARSE_FAILED', message };
  }
  if (definitions > bounds.definitions) {
    const message = `The document has ${definitions} operations and fragments; at most ${bounds.definitions} are allowed.`;
    return { status: 400, code: 'GRAPHQL_VALIDATION_FAILED', message };
  }
  if (hasTooManyDirectives(document)) {
    const message = `A location has at most ${MAX_DIRECTIVES_PER_LOCATION} directives.`;
    return { status: 400, code: 'GRAPHQL_VALIDATION_FAILED', message };
  }
  return null;
}

/** Validation would report an error for each. Documents with few directives, the usual case, are not lexed. */
function hasTooManyDirectives(document: string): boolean {
  return (
    document.split('@', MAX_DIRECTIVES_PER_LOCATION + 2).length > MAX_DIRECTIVES_PER_LOCATION + 1 &&
    longestRun(document) > MAX_DIRECTIVES_PER_LOCATION
  );
}

function longestRun(document: string): number {
  const lexer = new Lexer(new Source(document));
  let longest = 0;
  let run = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      if (lexer.token.kind !== TokenKind.AT) {
        run = 0;
        continue;
      }
      run += 1;
      longest = Math.max(longest, run);
      lexer.advance();
      if (lexer.lookahead().kind === TokenKind.PAREN_L) skipArguments(lexer);
    }
  } catch {
    // The parser reports invalid tokens, with their location.
  }
  return longest;
}

/** Advances to the closing parenthesis: values contain none. */
function skipArguments(lexer: Lexer): void {
  while (lexer.token.kind !== TokenKind.PAREN_R && lexer.token.kind !== TokenKind.EOF) lexer.advance();
}

/**
 * Deepest nesting of brackets in the text of an operation. Whatever parses, prints or walks a document recurses as
 * deep, and overflows the stack at some thousands. Real operations stay below 50.
 */
export const MAX_NESTING = 200;

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
