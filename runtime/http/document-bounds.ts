import { Lexer, Source, TokenKind } from 'graphql';

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
export interface RefusedDocument {
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
export interface DocumentOutline {
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
