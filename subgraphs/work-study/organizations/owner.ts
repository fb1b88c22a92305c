import { derived } from '../../../kernel/caches.js';
import { isSiret } from '../../codes/registers.js';
import { matchOrganizationCommune, type OrganizationSeat } from '../communes/match-commune.js';

/** An organization's representation: its key, and its seat and SIRETs when a join needs them. */
export interface OrganizationReference extends OrganizationSeat {
  readonly id: string;
  readonly siret?: string | null;
  readonly sirets?: readonly (string | null)[] | null;
}

/** A company of the waste platform, by its SIRET. */
export interface CompanyReference {
  readonly siret?: string | null;
}

/** An owner of establishments. */
export interface Owner {
  readonly sirets: readonly string[];
  /** Equal for owners with equal establishments, whether the export is there or not. */
  readonly key: string;
  /** INSEE code of the commune to search around while there is no export; null when unknown. */
  insee(): string | null;
}

/** The SIRETs of an organization and the location of its seat, computed once for a cached organization. */
export const organizationOwner = derived((organization: OrganizationReference): Owner => {
  const { siret, sirets: further, addressInseeCode, addressPostalCode, addressCity } = organization;
  const sirets = siretsOf(siret, ...(further ?? []));
  return {
    sirets,
    key: JSON.stringify([addressInseeCode, addressPostalCode, addressCity, sirets]),
    insee: () => matchOrganizationCommune(organization),
  };
});

/** A company comes without an address, so there is no commune to search around. */
export function companyOwner({ siret }: CompanyReference): Owner {
  const sirets = siretsOf(siret);
  return { sirets, key: JSON.stringify(sirets), insee: () => null };
}

/** The distinct SIRETs. A malformed one from another source joins to nothing, without an error. */
function siretsOf(...sirets: readonly (string | null | undefined)[]): string[] {
  return [...new Set(sirets)].filter((siret): siret is string => typeof siret === 'string' && isSiret(siret));
}
