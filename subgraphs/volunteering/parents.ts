import type { Connection } from '../graph/connection.js';
import type { MissionView } from './missions/shapes.js';
import type { OrganizationView } from './organizations/shapes.js';
import type { Row } from './values/lists.js';

/** The parents that resolvers of a GraphQL type get: `<Type>Parent` for each type that is not plain data. */
export type {
  CommuneMissionConnection as CommuneMissionConnectionParent,
  LocatedCommune as CommuneParent,
} from './links/commune-missions.js';
export type { OrganizationMissionConnection as OrganizationMissionConnectionParent } from './links/organization-missions.js';
export type { MissionCounts as MissionCountsParent } from './missions/counts.js';
export type {
  CountedFacets as MissionFacetsParent,
  MissionSearchConnection as MissionSearchConnectionParent,
} from './missions/pages.js';
export type { AddressView as MissionAddressParent, MissionView as MissionParent } from './missions/shapes.js';
export type { Node as NodeParent } from './nodes/resolvers.js';
export type { OrganizationView as OrganizationParent } from './organizations/shapes.js';

/** Rows that cannot be read are errors in their own places. */
export type MissionConnectionParent = Connection<Row<MissionView>>;

/** Rows that cannot be read are errors in their own places. */
export type OrganizationConnectionParent = Connection<Row<OrganizationView>>;

export type {
  Establishment as MissionLocaleParent,
  Establishment as WorkplaceParent,
  Establishment as CertificateurParent,
  Establishment as OrganismeEtablissementParent,
  Establishment as CompanyParent,
} from './links/resolvers.js';
