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
