/*
 * What a JSON text costs, before it is parsed. In JavaScript, because a thread reads it without the compiler.
 */

/**
 * Deepest nesting of lists and objects: whatever walks a value or serializes it recurses as deep, and overflows the stack
 * at some thousands. The deepest response of any service has about ten.
 */
export const DEEPEST = 200;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The bound that a JSON text exceeds; null for none. Looks at the text alone, and stops at the first excess: a text of a
 * million empty strings costs as much as one with the most values allowed. `ofKey`: values that a key counts as.
 */
export function exceededBound(text, { depth = DEEPEST, values = Number.POSITIVE_INFINITY, ofKey = 1 }) {
  let level = 0;
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COMMA) count += 1;
    else if (code === COLON) count += ofKey;
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
function endOfString(text, from) {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    // The quote before the string ends this at the latest.
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
