import { oncePerObject } from '../../../kernel/caches.js';
import type { CodedError } from '../../../kernel/errors.js';
import { integer, list, neverNull, object, orError, shape, wrongType } from '../../rest/shape.js';
import type { UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import {
  type ListQuery,
  listQuery,
  type OffsetPage,
  type Queried,
  type QueryParameters,
  withoutSurplus,
} from '../values/lists.js';
import { exactRecord, isUnread, type OrganizationCodes } from './codes.js';
import { type OrganizationView, organizationShape } from './shapes.js';

/** Largest page of organizations (volunteering 4.4). */
export const MAX_ORGANIZATIONS = 100;

/** A page as `GET /v0/organization` sends it. */
export type OrganizationList = OffsetPage<OrganizationView>;

/** The only route reads with the caller's key if there is one, and is cached per key. */
const READ = {
  method: 'GET',
  template: '/v0/organization',
  path: '/v0/organization',
  cache: 'search',
  key: 'caller-or-operator',
} as const;

/** The request for rows of `GET /v0/organization`. */
export function requestList(query: ListQuery): UpstreamRequest<OrganizationList> {
  return { query: listQuery(query), parse: parseList, ...READ, cache: isForWords(query) ? 'slow' : 'search' };
}

/** A code is found at once; words that occur nowhere take the service seconds (volunteering 4.4). */
function isForWords({ filter }: ListQuery): boolean {
  const { q, rna } = Object.fromEntries(filter);
  return q !== undefined && rna === undefined && !/^(W\d{9}|\d{14}|\d{9})$/.test(q.trim());
}

// Today's service no longer sends `total` (volunteering 4.4).
const listShape = shape('OrganizationList', { data: neverNull(list(object(organizationShape))), total: integer() });

function parseList({ json, sender }: UpstreamResponse, { query }: Queried): OrganizationList {
  const view = listShape.view(withoutSurplus(json, 'data', query), sender);
  return { rows: view.data ?? [], total: orError(() => view.total) };
}

/** The request for all records of a legal unit, of which a readable one lists all SIRETs. */
export function requestBySiren(siren: string): UpstreamRequest<OrganizationList> {
  const query = [
    ['q', siren],
    ['limit', String(MAX_ORGANIZATIONS)],
  ] as const;
  return { query, parse: parseUnit, ...READ };
}

function parseUnit(response: UpstreamResponse, queried: Queried): OrganizationList {
  const page = parseList(response, queried);
  if (page.rows.some((row) => isUnread(row, { siret: '', rna: null }))) throw unread(response);
  return page;
}

/**
 * The request for the record of `GET /v0/organization?siret=…&rna=…`, for want of a route by identifier; the same one for
 * the codes of a cached mission.
 */
export const requestByCodes = oncePerObject(
  ({ siret, rna }: OrganizationCodes): UpstreamRequest<OrganizationView | null> => {
    const query: QueryParameters = [
      ...(siret === null ? [] : [['siret', siret] as const]),
      ...(rna === null ? [] : [['rna', rna] as const]),
      // All records that have the codes, so that the right one can be chosen.
      ['limit', String(MAX_ORGANIZATIONS)],
    ];
    return { query, parse: parseByCodes, ...READ };
  },
);

function parseByCodes(response: UpstreamResponse, { query = [] }: Queried): OrganizationView | null {
  const codeIn = (name: string) => query.find(([parameter]) => parameter === name)?.[1] ?? null;
  const codes = { siret: codeIn('siret'), rna: codeIn('rna') };
  const { rows } = parseList(response, { query });
  const organization = exactRecord(rows, codes);
  // Null would be cached and reported as "no record has the codes".
  if (organization === null && rows.some((row) => isUnread(row, codes))) throw unread(response);
  return organization;
}

function unread({ sender }: UpstreamResponse): CodedError {
  return wrongType('records with SIRET and RNA number', 'Organization', sender);
}
