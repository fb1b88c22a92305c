import { isRomeCode, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  type Field,
  integer,
  list,
  moment,
  neverNull,
  number,
  object,
  optional,
  otherWord,
  promised,
  record,
  required,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { point } from '../geography/shapes.js';
import { CONTRACT_TYPES, EUROPEAN_LEVELS, JOB_OFFER_STATUSES, JOB_REMOTES, RECRUITER_LABELS } from '../values/words.js';

/** Offers, recruiters and their parts (work-study 12.2.5 to 12.2.8). */

/** The employer of an offer, or a likely recruiter. */
export const Workplace = promised('Workplace', {
  name: text(),
  description: text(),
  website: text(),
  siret: code(isSiret),
  location: record({ address: text(), geopoint: point }),
  brand: text(),
  legalName: text('legal_name'),
  size: text(),
  domain: record({
    idcc: number(),
    opco: text(),
    naf: record({ code: optional(text()), label: text() }),
  }),
});

const Apply = promised('Apply', { phone: text(), url: text(), recipientId: optional(text('recipient_id')) });

/** A company that may hire without having published an offer. */
export const JobRecruiter = promised('JobRecruiter', {
  identifier: record({ recruiterId: text('id') }),
  workplace: object(Workplace),
  apply: object(Apply),
});

const JobContract = promised('JobOffer.contract', {
  start: moment(),
  duration: integer(),
  type: optional(list(vocabulary(CONTRACT_TYPES), 'type')),
  typeRaw: optional(list(otherWord(CONTRACT_TYPES, 'type'), 'type')),
  remote: vocabulary(JOB_REMOTES),
  remoteRaw: optional(otherWord(JOB_REMOTES, 'remote')),
});

/** Text of an offer; null in a likely recruiter's, where the service writes its label instead (work-study 7.2). */
function ownText(): Field<string | null> {
  const { read } = text();
  return { read: (value, place, sender) => (RECRUITER_LABELS.includes(value) ? null : read(value, place, sender)) };
}

/** An offer as sent by the search, the route by id and the export. */
export const JobOffer = promised('JobOffer', {
  identifier: object({
    partnerJobId: text('partner_job_id'),
    offerId: required(text('id')),
    partnerLabel: text('partner_label'),
  }),
  workplace: object(Workplace),
  apply: object(Apply),
  contract: object(JobContract),
  offer: object({
    title: ownText(),
    desiredSkills: list(text(), 'desired_skills'),
    toBeAcquiredSkills: list(text(), 'to_be_acquired_skills'),
    accessConditions: list(text(), 'access_conditions'),
    openingCount: number('opening_count'),
    publication: record({ creation: moment(), expiration: moment() }),
    romeCodes: list(code(isRomeCode), 'rome_codes'),
    description: ownText(),
    targetDiploma: required(
      record(
        {
          european: vocabulary(EUROPEAN_LEVELS),
          europeanRaw: optional(otherWord(EUROPEAN_LEVELS, 'european')),
          label: text(),
        },
        'target_diploma',
      ),
    ),
    status: vocabulary(JOB_OFFER_STATUSES),
    statusRaw: otherWord(JOB_OFFER_STATUSES, 'status'),
  }),
  // Required but false by default (work-study 12.2.8), so a missing value reads as false.
  isDelegated: optional(boolean('is_delegated')),
});

/** The response of a job search (work-study 7.1). */
export const JobSearch = shape('JobSearchResult', {
  jobs: neverNull(list(object(JobOffer))),
  recruiters: list(object(JobRecruiter)),
  warnings: list(object({ code: text(), message: text() })),
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
