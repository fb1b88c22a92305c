import { isRomeCode, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  integer,
  list,
  moment,
  neverNull,
  number,
  object,
  otherWord,
  required,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { point } from '../geography/shapes.js';
import { CONTRACT_TYPES, EUROPEAN_LEVELS, JOB_OFFER_STATUSES, JOB_REMOTES } from '../values/words.js';

/** Offers, recruiters and their parts (work-study 12.2.5 to 12.2.8). */

const Naf = shape('Workplace.domain.naf', { code: text(), label: required(text()) });

const WorkplaceDomain = shape('Workplace.domain', {
  idcc: required(number()),
  opco: required(text()),
  naf: required(object(Naf)),
});

const WorkplaceLocation = shape('Workplace.location', { address: required(text()), geopoint: required(point()) });

/** The employer of an offer, or a likely recruiter. */
export const Workplace = shape('Workplace', {
  name: required(text()),
  description: required(text()),
  website: required(text()),
  siret: required(code(isSiret)),
  location: required(object(WorkplaceLocation)),
  brand: required(text()),
  legalName: required(text('legal_name')),
  size: required(text()),
  domain: required(object(WorkplaceDomain)),
});

const Apply = shape('Apply', {
  phone: required(text()),
  url: required(text()),
  recipientId: text('recipient_id'),
});

const JobRecruiterIdentifier = shape('JobRecruiter.identifier', { id: required(text()) });

/** A company that may hire without having published an offer. */
export const JobRecruiter = shape('JobRecruiter', {
  identifier: required(object(JobRecruiterIdentifier)),
  workplace: required(object(Workplace)),
  apply: required(object(Apply)),
});

const JobOfferIdentifier = shape('JobOffer.identifier', {
  partnerJobId: text('partner_job_id'),
  id: required(text()),
  partnerLabel: text('partner_label'),
});

const JobContract = shape('JobOffer.contract', {
  start: required(moment()),
  duration: required(integer()),
  type: list(vocabulary(CONTRACT_TYPES), 'type'),
  typeRaw: list(otherWord(CONTRACT_TYPES, 'type'), 'type'),
  remote: required(vocabulary(JOB_REMOTES)),
  remoteRaw: otherWord(JOB_REMOTES, 'remote'),
});

const Publication = shape('JobOffer.offer.publication', {
  creation: required(moment()),
  expiration: required(moment()),
});

const TargetDiploma = shape('JobOffer.offer.target_diploma', {
  european: required(vocabulary(EUROPEAN_LEVELS)),
  europeanRaw: otherWord(EUROPEAN_LEVELS, 'european'),
  label: required(text()),
});

const JobOfferDetails = shape('JobOffer.offer', {
  title: text(),
  desiredSkills: list(text(), 'desired_skills'),
  toBeAcquiredSkills: list(text(), 'to_be_acquired_skills'),
  accessConditions: list(text(), 'access_conditions'),
  openingCount: number('opening_count'),
  publication: object(Publication),
  romeCodes: list(code(isRomeCode), 'rome_codes'),
  description: text(),
  targetDiploma: required(object(TargetDiploma, 'target_diploma')),
  status: vocabulary(JOB_OFFER_STATUSES),
  statusRaw: otherWord(JOB_OFFER_STATUSES, 'status'),
});

/** An offer as sent by the search, the route by id and the export. */
export const JobOffer = shape('JobOffer', {
  identifier: required(object(JobOfferIdentifier)),
  workplace: required(object(Workplace)),
  apply: required(object(Apply)),
  contract: required(object(JobContract)),
  offer: required(object(JobOfferDetails)),
  // Required but false by default (work-study 12.2.8), so a missing value reads as false.
  isDelegated: boolean('is_delegated'),
});

const JobSearchWarning = shape('JobSearchResult.warnings', { code: text(), message: text() });

/** The response of a job search (work-study 7.1). */
export const JobSearch = shape('JobSearchResult', {
  jobs: neverNull(list(object(JobOffer))),
  recruiters: list(object(JobRecruiter)),
  warnings: list(object(JobSearchWarning)),
});

/** An employer as sent; each field is checked when it is read. */
export type WorkplaceView = View<typeof Workplace>;

/** A likely recruiter as sent; each field is checked when it is read. */
export type JobRecruiterView = View<typeof JobRecruiter>;

/** A contract as sent; `typeRaw` has the raw word of each type that is `OTHER`. */
export type JobContractView = View<typeof JobContract>;

/** An offer as sent; each field is checked when it is read. */
export type JobOfferView = View<typeof JobOffer>;

/** A search's response as sent; `searchResultOf` turns it into what callers see. */
export type JobSearchView = View<typeof JobSearch>;
