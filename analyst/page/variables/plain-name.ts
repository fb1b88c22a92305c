import { fold } from '../../../rows/cells.js';

/** A name as it is compared: `St Denis` is `Saint-Denis`, whatever the case, accents, spaces and hyphens. */
export function plainName(name: string): string {
  return fold(name)
    .replaceAll(/[\s’'-]+/g, ' ')
    .replaceAll(/\bst(e?)\b/g, 'saint$1')
    .trim();
}
