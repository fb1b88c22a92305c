import { isSiret } from '../../codes/siret.js';
import { matchOrganizationCommune, type OrganizationSeat } from '../communes/match-organization.js';

/** An organization as the gateway passes it: its key, and its seat and SIRETs when a join needs them. */
export interface OrganizationReference extends OrganizationSeat {
  readonly id: string;
  readonly siret?: string | null;
  readonly sirets?: readonly (string | null)[] | null;
}

/** A company of the waste platform, by its SIRET. */
export interface CompanyReference {
  readonly siret?: string | null;
}

/** Whose establishments are wanted. */
export interface Owner {
  readonly sirets: readonly string[];
  /** INSEE code of the commune to search around while the export is not there; null when it is not known. */
  readonly insee: string | null;
}

/** The SIRETs of an organization, and the commune of its seat. */
export function organizationOwner(organization: OrganizationReference): Owner {
  return {
    sirets: siretsOf(organization.siret, ...(organization.sirets ?? [])),
    insee: matchOrganizationCommune(organization),
  };
}

/** A company comes without an address: there is nowhere to search around. */
export function companyOwner({ siret }: CompanyReference): Owner {
  return { sirets: siretsOf(siret), insee: null };
}

/** The distinct SIRETs. A malformed one of another source joins to nothing, without an error. */
function siretsOf(...sirets: readonly (string | null | undefined)[]): string[] {
  return [...new Set(sirets)].filter((siret): siret is string => typeof siret === 'string' && isSiret(siret));
}
