import { isRna } from '../../codes/registers.js';
import {
  code,
  id,
  list,
  moment,
  nullable,
  number,
  object,
  otherWord,
  required,
  shape,
  text,
  type View,
  vocabulary,
  yesNo,
} from '../../rest/shape.js';

/** Where a mission is done (volunteering 12.2.1; `local` since 2026: volunteering 7.3). */
export const REMOTE = { no: 'NO', possible: 'POSSIBLE', full: 'FULL', local: 'LOCAL' } as const;
const STATUS_CODE = { ACCEPTED: 'ACCEPTED', REFUSED: 'REFUSED' } as const;
const COMPENSATION_UNIT = { hour: 'HOUR', day: 'DAY', month: 'MONTH', year: 'YEAR' } as const;
const COMPENSATION_TYPE = { gross: 'GROSS', net: 'NET' } as const;
const GEOLOC_STATUS = {
  ENRICHED_BY_PUBLISHER: 'ENRICHED_BY_PUBLISHER',
  ENRICHED_BY_API: 'ENRICHED_BY_API',
  ENRICHED: 'ENRICHED',
  NOT_FOUND: 'NOT_FOUND',
  NO_DATA: 'NO_DATA',
  SHOULD_ENRICH: 'SHOULD_ENRICH',
  FAILED: 'FAILED',
} as const;

const lonLatShape = shape('Mission.location', { lon: number(), lat: number() });

const addressShape = shape('Mission.addresses', {
  id: id(),
  street: text(),
  postalCode: text(),
  city: text(),
  departmentCode: text(),
  departmentName: text(),
  region: text(),
  country: text(),
  location: object(lonLatShape),
  geoPoint: object({ type: text(), coordinates: list(number()) }),
  geolocStatus: vocabulary(GEOLOC_STATUS),
  geolocStatusRaw: otherWord(GEOLOC_STATUS, 'geolocStatus'),
});

/** One of a mission's addresses; each field is checked when it is read. */
export type AddressView = View<typeof addressShape>;

/**
 * A mission as sent by the routes for list, search and id in both eras: with a flat address or `addresses[]`, with
 * booleans or the words yes and no (volunteering 12.2.1, 4.1).
 */
export const missionShape = shape('Mission', {
  id: required(id('_id')),
  clientId: text(),
  title: text(),
  description: text(),
  descriptionHtml: text(),
  type: text(),
  domain: text(),
  domainLogo: text(),
  activity: text(),
  tasks: list(text()),
  audience: list(text()),
  softSkills: list(text(), 'soft_skills'),
  requirements: list(text()),
  romeSkills: list(text()),
  tags: list(text()),
  remote: vocabulary(REMOTE),
  remoteRaw: otherWord(REMOTE, 'remote'),
  openToMinors: yesNo(),
  reducedMobilityAccessible: yesNo(),
  closeToTransport: yesNo(),
  places: number(),
  schedule: text(),
  duration: number(),
  snu: yesNo(),
  snuPlaces: number(),
  priority: text(),
  metadata: text(),
  compensationAmount: number(),
  compensationUnit: vocabulary(COMPENSATION_UNIT),
  compensationUnitRaw: otherWord(COMPENSATION_UNIT, 'compensationUnit'),
  compensationType: vocabulary(COMPENSATION_TYPE),
  compensationTypeRaw: otherWord(COMPENSATION_TYPE, 'compensationType'),
  startAt: moment(),
  endAt: moment(),
  postedAt: moment(),
  createdAt: moment(),
  updatedAt: moment(),
  deletedAt: moment(),
  lastSyncAt: moment(),
  deleted: yesNo(),
  statusCode: vocabulary(STATUS_CODE),
  statusCodeRaw: otherWord(STATUS_CODE, 'statusCode'),
  statusComment: text(),
  applicationUrl: text(),
  publisherId: text(),
  publisherName: text(),
  publisherUrl: text(),
  publisherLogo: text(),
  address: text(),
  adresse: text(),
  postalCode: text(),
  city: text(),
  departmentCode: text(),
  departmentName: text(),
  region: text(),
  country: text(),
  location: object(lonLatShape),
  lonlat: list(number()),
  addresses: list(object(addressShape)),
  distance: number('_distance'),
  organizationName: text(),
  organizationUrl: text(),
  organizationLogo: text(),
  organizationDescription: text(),
  organizationType: text(),
  organizationStatusJuridique: text(),
  organizationId: id(),
  organizationClientId: id(),
  organizationRNA: code(isRna),
  organizationSiren: text(),
  organizationFullAddress: text(),
  organizationCity: text(),
  organizationPostCode: text(),
  organizationBeneficiaries: list(nullable(text())),
  organizationActions: list(nullable(text())),
  organizationReseaux: list(nullable(text())),
  companyName: text(),
  companyUrl: text(),
  associationName: text(),
  associationId: id(),
  associationSiren: text(),
  associationRNA: code(isRna),
  associationTags: list(text()),
  associationSources: list(text()),
  associationReseaux: list(text()),
  version: number('__v'),
});

/** A mission as sent, of either era; each field is checked when it is read. */
export type MissionView = View<typeof missionShape>;

const facetShape = shape('FacetEntry', { key: text(), docCount: number('doc_count') });

/** Counts sent with the hits of a search (volunteering 12.2.3, 12.4.2). */
export const facetsShape = shape('MissionSearch.facets', {
  departmentName: list(object(facetShape)),
  activities: list(object(facetShape)),
  domains: list(object(facetShape)),
});

/** Counts as sent; `facetsOf` says what they cover. */
export type FacetsView = View<typeof facetsShape>;
