import { derived } from '../../../kernel/cached-object.js';
import { resolveInsee } from './commune-index.js';
import { matchWithoutPoint } from './match-commune.js';
import { type Evidence, readEvidence } from './written-address.js';

/** An organization's seat as written in the register. */
export interface OrganizationSeat {
  readonly addressInseeCode?: string | null | undefined;
  readonly addressPostalCode?: string | null | undefined;
  readonly addressCity?: string | null | undefined;
}

/**
 * INSEE code of the current commune of an organization's seat: from the written code, resolved if it is an
 * arrondissement's or a former commune's. If that is missing, not a code (`0`, `INSEE`: volunteering 9) or a repeated
 * postal code, from postal code and name. Null when nothing fits, or several communes do. Matched once for a cached
 * organization.
 */
export const matchOrganizationCommune = derived(matchSeat, () => CODE_BYTES);

/** Bytes of heap that an INSEE code takes. */
const CODE_BYTES = 40;

function matchSeat(seat: OrganizationSeat): string | null {
  const code = (seat.addressInseeCode ?? '').trim();
  const postalCode = padded(seat.addressPostalCode ?? '');
  const written = resolveInsee(code);
  if (written !== null && code !== postalCode) return written;
  const evidence = readEvidence({ postalCode, city: seat.addressCity });
  // A postal code can be an INSEE code too: 75011 was Bonneuil-sur-Marne's until 1968, 69001 is Affoux's.
  return written !== null && !nameOneCommune(evidence) ? written : matchWithoutPoint(evidence).insee;
}

function nameOneCommune({ byPostalCode, byName }: Evidence): boolean {
  return byPostalCode.filter((commune) => byName.includes(commune)).length === 1;
}

/** A postal code with the leading zero that the register drops (volunteering 9). */
function padded(postalCode: string): string {
  return postalCode.trim().replace(/^\d{4}$/, '0$&');
}
