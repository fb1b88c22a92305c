/**
 * Brackets within brackets that the text of an operation may have. Whoever parses, prints or walks a document goes down
 * as deep as they do, and at some thousands the stack ends. Real operations stay below 50.
 */
export const DEEPEST_NESTING = 200;

/** Strings and comments, to be passed over, also when they do not end; and brackets. */
const PARTS = /"""(?:\\"""|.)*?(?:"""|$)|"(?:\\.|[^"\\\n\r])*"?|#[^\n\r]*|[([{]|[)\]}]/gs;

/** Whether a document nests too deep to be parsed. It only looks at the text, which may be anything. */
export function isNestedTooDeep(document: string): boolean {
  let depth = 0;
  for (const [part] of document.matchAll(PARTS)) {
    if (part === '{' || part === '(' || part === '[') depth += 1;
    else if (part === '}' || part === ')' || part === ']') depth -= 1;
    if (depth > DEEPEST_NESTING) return true;
  }
  return false;
}
