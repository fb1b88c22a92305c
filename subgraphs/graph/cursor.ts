import { hash } from 'node:crypto';
import { badUserInput } from './arguments.js';

/** What a cursor belongs to: the name of a list and all that filters it. */
export interface CursorScope {
  readonly list: string;
  readonly filter: unknown;
}

/**
 * The cursor of an item: its offset in the list, and a digest of list, filter and offset. The digest is not secret; it
 * keeps a cursor from being used where it would silently mean another item.
 */
export function writeCursor(place: number, scope: CursorScope): string {
  return Buffer.from(JSON.stringify([place, digestOf(place, scope)])).toString('base64url');
}

/** The offset that a cursor names. Throws `BAD_USER_INPUT` unless `writeCursor` made it for this scope. */
export function readCursor(cursor: string, scope: CursorScope): number {
  const place = placeIn(cursor);
  // Compared as a whole, so that no other spelling of a cursor is accepted.
  if (place === null || writeCursor(place, scope) !== cursor) {
    throw badUserInput('after', 'is not a cursor of this list with these arguments');
  }
  return place;
}

function placeIn(cursor: string): number | null {
  try {
    const [place]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof place === 'number' && Number.isSafeInteger(place) && place >= 0 ? place : null;
  } catch {
    return null;
  }
}

function digestOf(place: number, { list, filter }: CursorScope): string {
  return hash('sha256', `${list}\n${place}\n${canonical(filter)}`, 'base64url').slice(0, 12);
}

/** JSON with sorted object keys and without nulls: equal filters give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, inner]) => inner !== null && inner !== undefined)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );
}
