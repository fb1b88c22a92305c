import type { Connection } from '../graph/connection.js';
import type { CertificationView } from './certifications/shapes.js';
import type { WrittenAddress } from './communes/match-commune.js';
import type { ExportedConnection } from './export/answers.js';
import type { JobOfferView, JobRecruiterView } from './jobs/shapes.js';
import type { OrganismeView } from './organismes/shapes.js';
import type { JobOfferPublishingView } from './publishing/shapes.js';
import type { TrainingOrganization } from './training/organizations.js';
import type { FormationView } from './training/shapes.js';

/** The parents that resolvers of a GraphQL type get: `<Type>Parent` for each type that is not plain data. */
export type { Epci as EpciParent } from '../codes/epcis.js';
export type { CertificationView as CertificationParent } from './certifications/shapes.js';
export type { Place as PlaceParent } from './communes/commune-names.js';
export type {
  CommuneCandidate as CommuneCandidateParent,
  CommuneMatch as CommuneMatchParent,
} from './communes/match-commune.js';
export type { ExportedCounts as ExportedCountsParent } from './export/answers.js';
export type { Commune as CommuneParent } from './geography/lazy-commune.js';
export type { MissionLocaleView as MissionLocaleParent } from './geography/shapes.js';
export type { JobSearchFound as JobSearchResultParent } from './jobs/search.js';
export type {
  JobContractView as JobContractParent,
  JobOfferView as JobOfferParent,
  JobRecruiterView as JobRecruiterParent,
  WorkplaceView as WorkplaceParent,
} from './jobs/shapes.js';
export type { NamedOccupation as OccupationParent } from './occupations/occupation-names.js';
export type {
  OrganismeSearchView as OrganismeSearchResultParent,
  OrganismeView as OrganismeParent,
} from './organismes/shapes.js';
export type {
  CompanyReference as CompanyParent,
  OrganizationReference as OrganizationParent,
} from './organizations/loaders.js';
export type { JobOfferExportView as JobOfferExportParent } from './publishing/shapes.js';
export type { TrainingOrganization as TrainingOrganizationParent } from './training/organizations.js';
export type {
  AppointmentLinkView as AppointmentLinkParent,
  FormationView as FormationParent,
} from './training/shapes.js';

/** Certifications that are not objects are errors in their own places. */
export type CertificationConnectionParent = Connection<CertificationView | null>;

/** A page of an organization's offers, and whether the list is certain to be complete. */
export type JobOfferConnectionParent = Connection<JobOfferView> & { readonly complete: boolean };

/** A page of offers of the export. */
export type ExportedOfferConnectionParent = ExportedConnection<JobOfferView>;

/** A page of likely recruiters of the export. */
export type ExportedRecruiterConnectionParent = ExportedConnection<JobRecruiterView>;

/** Courses that are not objects are errors in their own places. */
export type FormationConnectionParent = Connection<FormationView | null>;

/** A page of training centres, and whether the list is certain to be complete. */
export type TrainingOrganizationConnectionParent = Connection<TrainingOrganization> & { readonly complete: boolean };

/** Training organisations that are not objects are errors in their own places. */
export type OrganismeConnectionParent = Connection<OrganismeView | null>;

/** A département, from the source's list or a commune's. */
export interface DepartementParent {
  readonly nom: string | null;
  readonly codeInsee: string | null;
  /** A function for a commune that is fetched only when needed. */
  readonly region: object | (() => Promise<object | null>) | null;
  readonly academie: object | (() => Promise<object | null>) | null;
}

export type { Outcome as ApplicationPayloadParent, Outcome as JobOfferPayloadParent } from './publishing/resolvers.js';

/** How far the publication of an offer has got, and which offer it is. */
export interface JobOfferPublishingParent {
  readonly offerId: string;
  readonly found: JobOfferPublishingView;
}

/** A mission's representation: its key, and its address when a field that joins by it is selected. */
export interface MissionParent extends WrittenAddress {
  readonly id: string;
}
