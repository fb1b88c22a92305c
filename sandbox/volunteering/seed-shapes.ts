import { createHash } from 'node:crypto';
import type { Json } from '../world/types.js';
import type { Account } from './accounts.js';
import { listOf, type MissionRow, textOf } from './catalogue.js';

/** The response of the seed's service that a mission is in: they differ in some keys (volunteering 12.2.1). */
export type Place = 'list' | 'search' | 'by-id';

/** Keys copied unchanged from today's record. */
const COPIED_FIELDS = [
  '_id',
  'clientId',
  'publisherId',
  'publisherName',
  'publisherUrl',
  'publisherLogo',
  'lastSyncAt',
  'postedAt',
  'startAt',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'statusCode',
  'tasks',
  'audience',
  'soft_skills',
  'snu',
  'places',
] as const;

/** Texts that are null today and empty in that era (volunteering 4.1). */
const TEXTS = [
  'statusComment',
  'title',
  'description',
  'descriptionHtml',
  'organizationName',
  'organizationUrl',
  'organizationFullAddress',
  'organizationCity',
  'organizationPostCode',
  'organizationDescription',
  'organizationType',
  'organizationRNA',
  'organizationStatusJuridique',
  'priority',
  'metadata',
  'domain',
  'domainLogo',
  'activity',
  'schedule',
] as const;

const FLAT_ADDRESS = ['postalCode', 'departmentName', 'departmentCode', 'city', 'country'] as const;

/** A mission as the seed's service sends it: one flat address, association fields, and `yes` or `no` for booleans. */
export function seedMission(row: MissionRow, place: Place, sent: { account: Account; baseUrl: string }): Json {
  const { record } = row;
  const mission: Json = { __v: 0 };
  for (const field of COPIED_FIELDS) mission[field] = record[field] ?? null;
  for (const field of TEXTS) mission[field] = textOf(record, field) ?? '';
  Object.assign(mission, seedAddress(record), seedAssociation(record), {
    applicationUrl: `${sent.baseUrl}/r/${row.id}/${sent.account.publisherId}`,
    type: textOf(record, 'type')?.replaceAll('_', '-') ?? '',
    remote: seedRemote(record),
    // The partner's own id of the organization, not the id of a verified record (volunteering 4.1).
    organizationId: textOf(record, 'organizationClientId') ?? '',
    openToMinors: textOf(record, 'openToMinors') ?? 'no',
    reducedMobilityAccessible: textOf(record, 'reducedMobilityAccessible') ?? 'no',
    closeToTransport: record['closeToTransport'] === true ? 'yes' : 'no',
    // A text in hits, a boolean elsewhere (volunteering 12.2.1; an old public client saw `no`, volunteering 0).
    deleted: place === 'search' ? (isDeleted(record) ? 'yes' : 'no') : isDeleted(record),
  });
  if (place === 'list') {
    mission['companyName'] = textOf(record, 'organizationName') ?? '';
    mission['companyUrl'] = textOf(record, 'organizationUrl') ?? '';
  }
  return mission;
}

/** `no`, `possible` or `full`, whose default is `no`; `local` came later (volunteering 0). */
export function seedRemote(record: Json): string {
  const remote = textOf(record, 'remote');
  return remote === 'possible' || remote === 'full' ? remote : 'no';
}

/**
 * The id of an organization in the search index of that era; missions carry it as `associationId` (volunteering 10.8).
 */
export function seedAssociationId(organizationId: unknown): string {
  if (typeof organizationId !== 'string' || organizationId === '') return '';
  const hash = createHash('sha1').update(organizationId).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-');
}

/** Organization fields of the seed that hold a date-time or null (volunteering 12.2.2). */
const ORGANIZATION_DATES = [
  'lastDeclaredAt',
  'publishedAt',
  'dissolvedAt',
  'syncAt',
  'createdAt',
  'updatedAt',
] as const;

const ORGANIZATION_TEXTS = (
  'rna siret rupMi gestion status nature groupement title shortTitle titleSlug shortTitleSlug object socialObject1 ' +
  'socialObject2 addressComplement addressNumber addressRepetition addressType addressStreet addressDistribution ' +
  'addressInseeCode addressPostalCode addressDepartmentCode addressDepartmentName addressRegion addressCity ' +
  'managementDeclarant managementComplement managementStreet managementDistribution managementPostalCode ' +
  'managementCity managementCountry directorCivility website observation'
).split(' ');

/** An organization as the seed's service sends it: empty texts for null, plus `esId` and `__v` (volunteering 10.8). */
export function seedOrganization(record: Json): Json {
  const organization: Json = { _id: record['_id'], esId: seedAssociationId(record['_id']) };
  for (const field of ORGANIZATION_TEXTS) organization[field] = textOf(record, field) ?? '';
  for (const field of ORGANIZATION_DATES) organization[field] = record[field] ?? null;
  // Raw names in that era, slugs today (volunteering 4.4).
  organization['names'] = [organization['title']];
  organization['__v'] = 0;
  return organization;
}

function seedAddress(record: Json): Json {
  const [first] = Array.isArray(record['addresses']) ? record['addresses'] : [];
  const flat: Json = { adresse: textOf(record, 'address') ?? '', address: textOf(record, 'address') ?? '' };
  for (const field of FLAT_ADDRESS) flat[field] = textOf(record, field) ?? '';
  flat['region'] = textOf(first ?? {}, 'region') ?? '';
  const location = record['location'];
  if (location !== null && typeof location === 'object' && 'lon' in location && 'lat' in location) {
    flat['location'] = location;
    flat['lonlat'] = [location.lon, location.lat];
  } else flat['lonlat'] = [];
  return flat;
}

function seedAssociation(record: Json): Json {
  return {
    associationId: seedAssociationId(record['organizationId']),
    associationName: textOf(record, 'organizationName') ?? '',
    associationSiren: record['organizationSiren'] ?? null,
    associationRNA: record['organizationRNA'] ?? null,
    associationTags: [],
    associationSources: listOf(record, 'associationSources').concat(textOf(record, 'publisherName') ?? []),
    associationReseaux: listOf(record, 'organizationReseaux'),
  };
}

function isDeleted(record: Json): boolean {
  return (record['deletedAt'] ?? null) !== null;
}
