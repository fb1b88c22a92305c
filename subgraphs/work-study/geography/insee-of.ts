import { isInseeCode } from '../../codes/insee.js';
import type { CommuneView } from './shapes.js';

/** INSEE code of a row from the source; null if it cannot be read, as in a row that is not an object. */
export function inseeOf(row: CommuneView | null): string | null {
  const insee = quietly(() => row?.code?.insee) ?? null;
  return insee !== null && isInseeCode(insee) ? insee : null;
}

/** What `read` returns; undefined if it throws. In a search a wrong type is no error: it is reported when selected. */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
