import type { Connection } from '../graph/connection.js';
import type { CertificationView } from './certifications/shapes.js';
import type { CommuneCandidate, CommuneMatch } from './communes/match-commune.js';
import type { WrittenAddress } from './communes/written-address.js';
import type { Commune } from './geography/lazy-commune.js';
import type { MissionLocaleView } from './geography/shapes.js';
import type { JobSearchFound } from './jobs/search-result.js';
import type { JobContractView, JobOfferView, JobRecruiterView, WorkplaceView } from './jobs/shapes.js';
import type { OrganismeSearchView, OrganismeView } from './organismes/shapes.js';
import type { CompanyReference, OrganizationReference } from './organizations/owner.js';
import type { JobOfferExportView, JobOfferPublishingView } from './publishing/shapes.js';
import type { AppointmentLinkView, FormationView } from './training/shapes.js';

/** What resolvers of a GraphQL type get as their parent: `<Type>Parent` for each type that is not plain data. */

export type CommuneParent = Commune;
export type CommuneMatchParent = CommuneMatch;
export type CommuneCandidateParent = CommuneCandidate;
export type MissionLocaleParent = MissionLocaleView;
export type CertificationParent = CertificationView;
export type CertificationConnectionParent = Connection<CertificationView | null>;
export type JobSearchResultParent = JobSearchFound;
export type JobOfferParent = JobOfferView;
export type JobOfferConnectionParent = Connection<JobOfferView> & { readonly complete: boolean };
export type JobRecruiterParent = JobRecruiterView;
export type JobContractParent = JobContractView;
export type WorkplaceParent = WorkplaceView;
export type JobOfferExportParent = JobOfferExportView;
export type FormationParent = FormationView;
export type FormationConnectionParent = Connection<FormationView | null>;
export type AppointmentLinkParent = AppointmentLinkView;
export type OrganizationParent = OrganizationReference;
export type CompanyParent = CompanyReference;
export type OrganismeParent = OrganismeView;
export type OrganismeConnectionParent = Connection<OrganismeView | null>;
export type OrganismeSearchResultParent = OrganismeSearchView;

/** A département, the source's own or a commune's. */
export interface DepartementParent {
  readonly nom: string | null;
  readonly codeInsee: string | null;
  /** A function for a commune that is fetched only when needed. */
  readonly region: object | (() => Promise<object | null>) | null;
  readonly academie: object | (() => Promise<object | null>) | null;
}

/** How far the publication of an offer has got, and of which. */
export interface JobOfferPublishingParent {
  readonly id: string;
  readonly found: JobOfferPublishingView;
}

/** A mission as the gateway passes it: its key, and its address when a field that joins by it is selected. */
export interface MissionParent extends WrittenAddress {
  readonly id: string;
}

/** A source by its name; the type tells which of the three it is. */
interface NamedSource<Type extends string> {
  readonly __typename: Type;
  readonly name: string;
}

export type WorkStudySourceParent = NamedSource<'WorkStudySource'>;
export type WasteIdentitySourceParent = NamedSource<'WasteIdentitySource'>;
export type VolunteeringSourceParent = NamedSource<'VolunteeringSource'>;
