import { isRna } from '../../codes/rna.js';
import { isSiret } from '../../codes/siret.js';
import type { Origin } from '../../rest/shapes/shape.js';
import type { OrganizationCodes } from '../organizations/exact-record.js';

/** What a mission says about its organization, in the keys of both eras. */
export interface NamedOrganization {
  readonly associationRNA: string | null;
  readonly organizationRNA: string | null;
  readonly associationSiren: string | null;
  readonly organizationSiren: string | null;
}

/**
 * The codes by which a mission's organization is looked up: its first RNA number, else its first `*Siren` that holds a
 * SIRET, as partners sometimes write (volunteering 9). Null when it names none that is well-formed.
 */
export function organizationCodesOf(mission: NamedOrganization): OrganizationCodes | null {
  const rna = [() => mission.associationRNA, () => mission.organizationRNA].map(read).find(isCode(isRna));
  if (rna) return { rna, siret: null };
  const siret = [() => mission.associationSiren, () => mission.organizationSiren].map(read).find(isCode(isSiret));
  return siret ? { rna: null, siret } : null;
}

/** The code by which an establishment's organization is looked up; null without a call for one that has none. */
export function siretCodesOf(siret: string | null | undefined, origin: Origin): OrganizationCodes | null {
  if (siret === null || siret === undefined || siret === '') return null;
  if (isSiret(siret)) return { siret, rna: null };
  origin.drift('Organization.siret of a join');
  return null;
}

function isCode(isValid: (text: string) => boolean): (text: string | null) => boolean {
  return (text) => text !== null && isValid(text);
}

/** A code of a wrong type names no organization; it is reported where it is selected. */
function read(get: () => string | null): string | null {
  try {
    return get();
  } catch {
    return null;
  }
}
