import { isInseeCode } from '../../codes/insee.js';
import type { CommuneView } from './shapes.js';

/** INSEE code of a row from the source; null where it cannot be read, as of a row that is no object. */
export function inseeOf(row: CommuneView | null): string | null {
  const insee = quietly(() => row?.code?.insee) ?? null;
  return insee !== null && isInseeCode(insee) ? insee : null;
}

/** A field of the wrong type in another row is no error during a search; it is reported where it is selected. */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
