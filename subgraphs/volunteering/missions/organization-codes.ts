import { derived } from '../../../kernel/cached-object.js';
import { isRna } from '../../codes/rna.js';
import { isSiret } from '../../codes/siret.js';
import { orNull } from '../../rest/responses/shape.js';
import type { OrganizationCodes } from '../organizations/exact-record.js';

/** A mission's codes for its organization, under the keys of both eras. */
export interface NamedOrganization {
  readonly associationRNA: string | null;
  readonly organizationRNA: string | null;
  readonly associationSiren: string | null;
  readonly organizationSiren: string | null;
}

/** The codes that a mission names, read once for a cached mission. */
export const organizationCodesOf = derived(readCodes, () => CODES_BYTES);

/** Bytes of heap that the codes take, with the request made from them. */
const CODES_BYTES = 500;

/**
 * The codes by which a mission's organization is looked up: its first valid RNA number, else its first `*Siren` that
 * contains a SIRET, as some partners write (volunteering 9). Null without a well-formed code.
 */
function readCodes(mission: NamedOrganization): OrganizationCodes | null {
  const rna = [() => mission.associationRNA, () => mission.organizationRNA].map(orNull).find(isCode(isRna));
  if (rna) return { rna, siret: null };
  const siret = [() => mission.associationSiren, () => mission.organizationSiren].map(orNull).find(isCode(isSiret));
  return siret ? { rna: null, siret } : null;
}

function isCode(isValid: (text: string) => boolean): (text: string | null) => boolean {
  return (text) => text !== null && isValid(text);
}
