import type { Connection } from '../graph/connection.js';
import type { CommuneMissionConnection, LocatedCommune } from './links/commune-missions.js';
import type { Row } from './lists/paging.js';
import type { MissionCounts } from './missions/counts/mission-counts.js';
import type { CountedFacets } from './missions/facets.js';
import type { MissionSearchConnection } from './missions/resolvers.js';
import type { MissionView } from './missions/shapes.js';
import type { OrganizationView } from './organizations/shapes.js';

/** What resolvers of a GraphQL type get as their parent: `<Type>Parent` for each type that is not plain data. */

export type MissionParent = MissionView;
export type MissionConnectionParent = Connection<Row<MissionView>>;
export type MissionSearchConnectionParent = MissionSearchConnection;
export type MissionCountsParent = MissionCounts;
export type MissionFacetsParent = CountedFacets;
export type OrganizationParent = OrganizationView;
export type OrganizationConnectionParent = Connection<Row<OrganizationView>>;
export type CommuneParent = LocatedCommune;
export type CommuneMissionConnectionParent = CommuneMissionConnection;

/** Something with a SIRET that another service owns. */
interface Establishment {
  readonly siret?: string | null;
}

export type MissionLocaleParent = Establishment;
export type WorkplaceParent = Establishment;
export type CertificateurParent = Establishment;
export type OrganismeEtablissementParent = Establishment;
export type CompanyParent = Establishment;

export interface VolunteeringSourceParent {
  readonly name: string;
}
