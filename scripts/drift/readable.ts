import { isInseeCode, isPostalCode } from '../../subgraphs/codes/commune-codes.js';
import { isCfdCode, isRna, isRncpCode, isRomeCode, isSiren, isSiret } from '../../subgraphs/codes/registers.js';

/** Whether a text is a well-formed code, for each scalar of the graph. */
const CODES = new Map<string, (text: string) => boolean>([
  ['SIRET', isSiret],
  ['SIREN', isSiren],
  ['RNA', isRna],
  ['INSEECode', isInseeCode],
  ['PostalCode', isPostalCode],
  ['ROMECode', isRomeCode],
  ['RNCPCode', isRncpCode],
  ['CFDCode', isCfdCode],
]);

/** The graph's value for a word that no document has. */
const OTHER = 'OTHER';

/**
 * Whether a value of this type is a malformed code or an unknown word, or a list of nothing else. An empty text counts
 * as none.
 */
export function isUnreadable(type: string, value: unknown): boolean {
  const isCode = CODES.get(type) ?? ((text: string) => text !== OTHER);
  const texts = [value].flat().filter((text) => typeof text === 'string' && text !== '') as string[];
  return texts.length > 0 && !texts.some(isCode);
}
