import { resolveInsee } from './commune-index.js';
import { matchWithoutPoint } from './match-commune.js';
import { readEvidence } from './written-address.js';

/** The seat of an organization as the register writes it. */
export interface OrganizationSeat {
  readonly addressInseeCode?: string | null | undefined;
  readonly addressPostalCode?: string | null | undefined;
  readonly addressCity?: string | null | undefined;
}

/**
 * INSEE code of the current commune of an organization's seat: the code that is written, followed where it is an
 * arrondissement's or a former commune's; where it is missing or no code at all (`0`, `INSEE`: volunteering 9),
 * postal code and name. Null when nothing fits or several do.
 */
export function matchOrganizationCommune(seat: OrganizationSeat): string | null {
  const written = resolveInsee((seat.addressInseeCode ?? '').trim());
  if (written !== null) return written;
  const address = { postalCode: padded(seat.addressPostalCode ?? ''), city: seat.addressCity };
  return matchWithoutPoint(readEvidence(address)).insee;
}

/** A postal code with the leading zero that the register loses (volunteering 9). */
function padded(postalCode: string): string {
  return postalCode.trim().replace(/^\d{4}$/, '0$&');
}
