/**
 * Brackets within brackets that the text of an operation may have. Whoever parses, prints or walks a document goes down
 * as deep as they do, and at some thousands the stack ends. Real operations stay below 50.
 */
export const MAX_NESTING = 200;

/** Strings and comments, to be passed over, also when they do not end; and brackets. */
const PARTS = /"""(?:\\"""|.)*?(?:"""|$)|"(?:\\.|[^"\\\n\r])*"?|#[^\n\r]*|[([{]|[)\]}]/gs;

/** What the brackets of a document say of it. It only looks at the text, which may be anything. */
export interface DocumentOutline {
  /** Brackets within each other. */
  readonly depth: number;
  /** Braces within no other bracket: one for each operation and each fragment. */
  readonly definitions: number;
}

/** The outline of a document, read in one pass. */
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

/** Whether a document nests too deep to be parsed. */
export function isNestedTooDeep(document: string): boolean {
  return outlineOf(document).depth > MAX_NESTING;
}
