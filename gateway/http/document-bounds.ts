import { Lexer, Source, TokenKind } from 'graphql';
import { DEEPEST_NESTING, outlineOf } from '../../runtime/http/document-nesting.js';
import { RequestError } from './request-error.js';

/** Largest document, in bytes of UTF-8. */
const DOCUMENT_BYTES = 100 * 1024;

/** Operations and fragments. Every rule looks at every fragment for each operation: their product is the work. */
const MAX_DEFINITIONS = 100;

/** The graph has two directives for a field, each at most once. */
const MAX_DIRECTIVES_AT_ONE_PLACE = 5;

/** Throws a RequestError for a document whose text already shows that parsing and validating it costs too much. */
export function checkDocument(document: string): void {
  if (Buffer.byteLength(document) > DOCUMENT_BYTES) {
    throw new RequestError(413, `The document is larger than ${DOCUMENT_BYTES / 1024} kB.`);
  }
  const { depth, definitions } = outlineOf(document);
  if (depth > DEEPEST_NESTING) {
    const message = `The document is nested more than ${DEEPEST_NESTING} deep.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_PARSE_FAILED' });
  }
  if (definitions > MAX_DEFINITIONS) {
    const message = `The document has ${definitions} operations and fragments; at most ${MAX_DEFINITIONS} are allowed.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_VALIDATION_FAILED' });
  }
  if (hasPiledDirectives(document)) {
    const message = `At most ${MAX_DIRECTIVES_AT_ONE_PLACE} directives may stand at one place.`;
    throw new RequestError(400, message, { code: 'GRAPHQL_VALIDATION_FAILED' });
  }
}

/** Validation would list an error for each of them. Documents with few directives, which most are, are not read. */
function hasPiledDirectives(document: string): boolean {
  return (
    document.split('@', MAX_DIRECTIVES_AT_ONE_PLACE + 2).length > MAX_DIRECTIVES_AT_ONE_PLACE + 1 &&
    longestPile(document) > MAX_DIRECTIVES_AT_ONE_PLACE
  );
}

function longestPile(document: string): number {
  const lexer = new Lexer(new Source(document));
  let longest = 0;
  let pile = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      if (lexer.token.kind !== TokenKind.AT) {
        pile = 0;
        continue;
      }
      pile += 1;
      longest = Math.max(longest, pile);
      lexer.advance();
      if (lexer.lookahead().kind === TokenKind.PAREN_L) skipArguments(lexer);
    }
  } catch {
    // What is no token is refused by the parser, with its place.
  }
  return longest;
}

/** Goes on to the parenthesis that closes the next one: values hold none. */
function skipArguments(lexer: Lexer): void {
  while (lexer.token.kind !== TokenKind.PAREN_R && lexer.token.kind !== TokenKind.EOF) lexer.advance();
}
