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
  otherWord,
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
export const Workplace = shape('Workplace', {
  name: required(text()),
  description: required(text()),
  website: required(text()),
  siret: required(code(isSiret)),
  location: required(object({ address: required(text()), geopoint: required(point) })),
  brand: required(text()),
  legalName: required(text('legal_name')),
  size: required(text()),
  domain: required(
    object({
      idcc: required(number()),
      opco: required(text()),
      naf: required(object({ code: text(), label: required(text()) })),
    }),
  ),
});

const Apply = shape('Apply', {
  phone: required(text()),
  url: required(text()),
  recipientId: text('recipient_id'),
});

/** A company that may hire without having published an offer. */
export const JobRecruiter = shape('JobRecruiter', {
  identifier: required(object({ recruiterId: required(text('id')) })),
  workplace: required(object(Workplace)),
  apply: required(object(Apply)),
});

const JobContract = shape('JobOffer.contract', {
  start: required(moment()),
  duration: required(integer()),
  type: list(vocabulary(CONTRACT_TYPES), 'type'),
  typeRaw: list(otherWord(CONTRACT_TYPES, 'type'), 'type'),
  remote: required(vocabulary(JOB_REMOTES)),
  remoteRaw: otherWord(JOB_REMOTES, 'remote'),
});

/** Text of an offer; null in a likely recruiter's, where the service writes its label instead (work-study 7.2). */
function ownText(): Field<string | null> {
  const { read } = text();
  return { read: (value, place, sender) => (RECRUITER_LABELS.includes(value) ? null : read(value, place, sender)) };
}

/** An offer as sent by the search, the route by id and the export. */
export const JobOffer = shape('JobOffer', {
  identifier: required(
    object({
      partnerJobId: text('partner_job_id'),
      offerId: required(text('id')),
      partnerLabel: text('partner_label'),
    }),
  ),
  workplace: required(object(Workplace)),
  apply: required(object(Apply)),
  contract: required(object(JobContract)),
  offer: required(
    object({
      title: ownText(),
      desiredSkills: list(text(), 'desired_skills'),
      toBeAcquiredSkills: list(text(), 'to_be_acquired_skills'),
      accessConditions: list(text(), 'access_conditions'),
      openingCount: number('opening_count'),
      publication: object({
        creation: required(moment()),
        expiration: required(moment()),
      }),
      romeCodes: list(code(isRomeCode), 'rome_codes'),
      description: ownText(),
      targetDiploma: required(
        object(
          {
            european: required(vocabulary(EUROPEAN_LEVELS)),
            europeanRaw: otherWord(EUROPEAN_LEVELS, 'european'),
            label: required(text()),
          },
          'target_diploma',
        ),
      ),
      status: vocabulary(JOB_OFFER_STATUSES),
      statusRaw: otherWord(JOB_OFFER_STATUSES, 'status'),
    }),
  ),
  // Required but false by default (work-study 12.2.8), so a missing value reads as false.
  isDelegated: boolean('is_delegated'),
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
