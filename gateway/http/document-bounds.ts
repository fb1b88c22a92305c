import { Lexer, Source, TokenKind } from 'graphql';
import { MAX_NESTING, outlineOf } from '../../runtime/http/document-nesting.js';
import { RequestError } from './request-error.js';

/** Largest document, in bytes of UTF-8. */
const DOCUMENT_BYTES = 100 * 1024;

/** Operations and fragments. Validation visits every fragment for each operation, so the work is their product. */
const MAX_DEFINITIONS = 100;

/** Fields have two directives in this graph, each at most once. */
const MAX_DIRECTIVES_PER_LOCATION = 5;

/** Throws a RequestError for a document that would be too expensive to parse or validate. */
export function checkDocument(document: string): void {
  if (Buffer.byteLength(document) > DOCUMENT_BYTES) {
    throw new RequestError(413, `The document is larger than ${DOCUMENT_BYTES / 1024} kB.`);
  }
  const { depth, definitions } = outlineOf(document);
  if (depth > MAX_NESTING) {
    const message = `The document is nested more than ${MAX_NESTING} deep.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_PARSE_FAILED' });
  }
  if (definitions > MAX_DEFINITIONS) {
    const message = `The document has ${definitions} operations and fragments; at most ${MAX_DEFINITIONS} are allowed.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_VALIDATION_FAILED' });
  }
  if (hasTooManyDirectives(document)) {
    const message = `A location has at most ${MAX_DIRECTIVES_PER_LOCATION} directives.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_VALIDATION_FAILED' });
  }
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
